import { connect } from 'node:http2';
import { RawAppend } from './raw-append';

// A client to be killed: `<url> <prefix> <calls> <events>`. It sends all events of its appends but ends no call.
const [url = '', prefix = '', calls = '0', events = '0'] = process.argv.slice(2);
const session = connect(url);
for (let call = 0; call < Number(calls); call += 1) {
  RawAppend.begin(session, `${prefix}-${call}`, Number(events)).write(Number(events) + 1);
}
session.ping(() => process.stdout.write('sent\n'));
