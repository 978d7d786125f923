import { fileURLToPath } from 'node:url'

/**
 * The repository as `npm run build` makes it (see vitest.config.ts): processes that start from there need no
 * compiler.
 */
export const COMPILED_ROOT =
  process.env['COMPILED_COPY'] ?? fileURLToPath(new URL('../../../', import.meta.url))

/**
 * LONG_TESTS=1, as continuous integration sets it: sweeps over random cases and kills are long. Otherwise a
 * run is short enough to wait for.
 */
export const isLong = process.env['LONG_TESTS'] === '1'

/** What a sweep goes through: all of the list if tests are long, otherwise one in `step`. */
export const swept = <T>(list: readonly T[], step: number): readonly T[] =>
  isLong ? list : list.filter((_, index) => index % step === 0)

/**
 * How many random cases to try: a tenth of `long` unless tests are long. FUZZ_RUNS is another number for all.
 */
export function randomCases(long: number): number {
  const asked = process.env['FUZZ_RUNS']
  if (asked) return Number(asked)
  return isLong ? long : Math.ceil(long / 10)
}

/**
 * Of the random cases of a test: `SEED`, else another one each time. It is printed, so that a failure can be
 * repeated.
 */
export function testSeed(): number {
  const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000)
  console.log(`SEED=${seed}`)
  return seed
}
