/** The candidate that was probably meant: at most two letters added, missing, wrong or swapped. */
export function closest(given: string, candidates: readonly string[]): string | undefined {
  // In a short word two letters are too many.
  const limit = given.length < 5 ? 1 : 2
  const [best] = candidates
    .map((candidate) => ({ candidate, distance: distance(given, candidate) }))
    .sort((a, b) => a.distance - b.distance)
  return best && best.distance <= limit ? best.candidate : undefined
}

/** Number of edits; two neighbors that changed places are one. */
function distance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, j) => j)]
  const at = (i: number, j: number): number => rows[i]![j]!
  for (let i = 1; i <= a.length; i++) {
    rows.push([i])
    for (let j = 1; j <= b.length; j++) {
      const change = a[i - 1] === b[j - 1] ? 0 : 1
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const edits = [at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + change]
      if (isSwap) edits.push(at(i - 2, j - 2) + 1)
      rows[i]!.push(Math.min(...edits))
    }
  }
  return at(a.length, b.length)
}
