/**
 * Consecutive rows in groups whose weights sum up to `limit` at most. A row that weighs more has a group to
 * itself.
 */
export function* weighedGroups<Row>(
  rows: readonly Row[],
  { limit, weight }: { readonly limit: number; readonly weight: (row: Row) => number },
): Generator<readonly Row[]> {
  let group: Row[] = []
  let total = 0
  for (const row of rows) {
    const own = weight(row)
    if (group.length > 0 && total + own > limit) {
      yield group
      group = []
      total = 0
    }
    group.push(row)
    total += own
  }
  if (group.length > 0) yield group
}
