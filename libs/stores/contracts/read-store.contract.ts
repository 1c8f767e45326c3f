import { describeDocuments } from './read-store-documents.contract';
import { describeInspection } from './read-store-inspection.contract';
import { describeLeases } from './read-store-leases.contract';
import { describeSortedLists } from './read-store-lists.contract';
import { describeStops } from './read-store-stops.contract';
import { describeToDoLists } from './read-store-todo.contract';
import { describeVersions } from './read-store-versions.contract';
import { ReadStoreFixture, type ReadStoreFactory } from './read-store.fixture';
import { describeReadStoreModel } from './read-store.model';

export type { ReadStoreFactory, ReadStoreUnderTest } from './read-store.fixture';

/** What every adapter of the read store port must do. Every test gets a store of its own. */
export function describeReadStoreContract(name: string, factory: ReadStoreFactory): void {
  describe(`${name} as a read store`, () => {
    const fixture = new ReadStoreFixture(factory);

    beforeEach(() => fixture.begin());
    afterEach(() => fixture.end());

    describeDocuments(fixture);
    describeVersions(fixture);
    describeStops(fixture);
    describeLeases(fixture);
    describeSortedLists(fixture);
    describeToDoLists(fixture);
    describeInspection(fixture);
    describeReadStoreModel(() => fixture.store);
  });
}
