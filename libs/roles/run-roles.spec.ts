import { WrongMasterKeyError } from '@app/application';
import { UnreadableEventError } from '@app/kernel';
import { startFailure } from '@app/runtime';
import { FORESEEN } from './run-roles';

describe('a start that comes to nothing', () => {
  it('says on one line that the master key is another one, or that the log is of a newer release', () => {
    const wrong = new WrongMasterKeyError('data-key:dk_1', 'a1', ['b2']);
    expect(startFailure(wrong, FORESEEN)).toMatch(/^MASTER_KEY does not open data-key:dk_1: [^\n]+$/);
    const event = { streamId: 'keys', revision: 0, type: 'Unheard' };
    expect(startFailure(new UnreadableEventError(event, 'its type is unknown'), FORESEEN)).toMatch(
      /^Event Unheard at keys@0 [^\n]+$/,
    );
  });
});
