import { PROJECTIONS } from '@app/audit/projections';
import { wholeName } from '@app/projections/partitions';

export { PROJECTIONS } from '@app/audit/projections';

/** This release's declared version of the projection, or of the one that it is a partition of. */
export function declaredVersionOf(projection: string): number | null {
  return PROJECTIONS.find(({ name }) => name === wholeName(projection))?.declaredVersion ?? null;
}
