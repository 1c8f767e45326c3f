// Set-up file of the Jest project that runs the end-to-end suite on EventStoreDB; read by
// test/support/event-store-of.ts.
process.env['TEST_EVENT_STORE'] = 'eventstoredb';
