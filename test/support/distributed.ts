// Set-up file of the Jest project that runs the end-to-end suite with each role in a separate process, on EventStoreDB
// and Redis.
process.env['TEST_EVENT_STORE'] = 'eventstoredb';
process.env['TEST_ROLES'] = 'separate';
