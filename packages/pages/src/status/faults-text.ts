import { formatCount } from '../text/numbers.ts'
import type { Faults } from './status.ts'

const WORDS: readonly (readonly [keyof Faults, one: string, many: string])[] = [
  ['timeouts', 'time-out', 'time-outs'],
  ['rate_limits', 'rate limit', 'rate limits'],
  ['wrong_answers', 'wrong answer', 'wrong answers'],
  ['disconnects', 'disconnection', 'disconnections'],
]

/** E.g. `2 time-outs, 1 disconnection`; `none`. */
export function faultsText(faults: Faults): string {
  const texts = WORDS.filter(([name]) => faults[name] > 0).map(
    ([name, one, many]) => `${formatCount(faults[name])} ${faults[name] === 1 ? one : many}`,
  )
  return texts.join(', ') || 'none'
}
