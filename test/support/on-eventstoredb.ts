// Set-up file of the Jest project that runs the end-to-end suite on EventStoreDB; test/support/event-store-of.ts reads this.
process.env['TEST_EVENT_STORE'] = 'eventstoredb';
