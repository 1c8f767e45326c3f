import { given } from '@app/event-sourcing/testing/given-when-then';
import { installationDecider, type InstallationAnnounced } from './';

const announced = (installationId: string): InstallationAnnounced => ({
  type: 'InstallationAnnounced',
  data: { installationId },
});
const announce = { type: 'AnnounceInstallation', installationId: 'here' } as const;

describe('installations', () => {
  it('announce themselves where nobody has, or another one was the last', () => {
    given(installationDecider).when(announce).thenEvents(announced('here'));
    given(installationDecider, announced('here'), announced('there')).when(announce).thenEvents(announced('here'));
  });

  it('say nothing twice', () => {
    given(installationDecider, announced('there'), announced('here')).when(announce).thenNothing();
  });

  it('are known in their order, the latest fifty', () => {
    const all = Array.from({ length: 60 }, (_, index) => announced(`i${index}`));
    const { state } = given(installationDecider, ...all);
    expect([state.length, state[0]?.installationId, state.at(-1)?.installationId]).toEqual([50, 'i10', 'i59']);
  });
});
