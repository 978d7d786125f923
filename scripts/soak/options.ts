/** Masterchain blocks of the sample network. */
const LAST = 529
/** Blocks that are there when the head begins to move, so that there is history at once. */
const FIRST = 29
const MOST_PER_SECOND = 0.5
/** The head then moves every eight seconds, later of which ingest says that it stands still. */
const MOST_MINUTES = 65

export interface SoakOptions {
  readonly minutes: number
  readonly seed: number
  /** Head when it begins to move, and how many blocks a second from then on until the end. */
  readonly head: { readonly first: number; readonly last: number; readonly perSecond: number }
  /** Whether the folder with database and log stays. */
  readonly isKept: boolean
}

export function readOptions(args: readonly string[]): SoakOptions {
  const given = (name: string) => {
    const index = args.indexOf(`--${name}`)
    return index < 0 ? undefined : Number(args[index + 1])
  }
  const minutes = given('minutes') ?? 5
  if (!(minutes >= 1 && minutes <= MOST_MINUTES))
    throw new RangeError(`--minutes: a number from 1 to ${MOST_MINUTES}, for which the recorded chain lasts`)
  const seconds = minutes * 60
  const perSecond = Math.min(MOST_PER_SECOND, (LAST - FIRST) / seconds)
  const first = LAST - Math.round(perSecond * seconds)
  return {
    minutes,
    seed: given('seed') ?? Date.now() % 1_000_000,
    head: { first, last: LAST, perSecond },
    isKept: args.includes('--keep'),
  }
}
