import { WrongMasterKeyError } from '@app/keys/secret-cipher';
import { DamagedHistoryError } from '@app/event-sourcing';
import { startFailure } from '@app/platform/lifecycle';
import { FORESEEN } from './run';

describe('a failed start', () => {
  it('says in one line that the master key is wrong, or that the log is from a newer release', () => {
    const wrong = new WrongMasterKeyError('data-key:dk_1', 'a1', ['b2']);
    expect(startFailure(wrong, FORESEEN)).toMatch(/^MASTER_KEY does not open data-key:dk_1: [^\n]+$/);
    const newer = new DamagedHistoryError({ streamId: 'keys', revision: 0 }, 'NEWER', 'its type is unknown');
    expect(startFailure(newer, FORESEEN)).toMatch(/^Stream keys is damaged at revision 0: its type is unknown$/);
  });
});
