const MAX_EDITS = 2;

/**
 * The name that was probably meant: the same except for case, or else the first with the fewest edits, at most two and
 * fewer than half of its characters; null if none is close. Cheap for any input: names of a different length are
 * skipped.
 */
export function nearestName(given: string, names: readonly string[]): string | null {
  let nearest: { readonly name: string; readonly edits: number } | null = null;
  for (const name of names) {
    if (Math.abs(name.length - given.length) > MAX_EDITS) continue;
    const edits = editsBetween(given.toLowerCase(), name.toLowerCase());
    if (edits > MAX_EDITS || 2 * edits >= name.length) continue;
    if (nearest === null || edits < nearest.edits) nearest = { name, edits };
  }
  return nearest?.name ?? null;
}

/** The Levenshtein distance: how many characters must be inserted, deleted or replaced. */
function editsBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}
