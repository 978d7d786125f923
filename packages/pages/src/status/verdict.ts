import { formatCount, formatDuration } from '../text/numbers.ts'
import type { Status } from './status.ts'

/** `good`: in step with the head; `busy`: behind and working; `bad`: something has to be done. */
export type Level = 'good' | 'busy' | 'bad'

/** How the service does. */
export interface Verdict {
  readonly level: Level
  /** For the title of the window. */
  readonly word: string
  readonly text: string
}

/** The head may be a block or two behind what a source offers while one is being written. */
const IN_STEP_BLOCKS = 3

/** The state of the service in one sentence. */
export function verdictOf(status: Status): Verdict {
  const { database_problem, head, newest, missing, servers } = status
  if (database_problem !== null) return bad('Database unreachable', database_problem)
  if (!head) return bad('Not started', 'ingest has not reported the head of the network yet')
  const behind = head.seqno - (newest?.seqno ?? 0)
  if (head.followed === false) return bad('Not following', notFollowed(status, behind))
  const allDown = servers !== null && servers.length > 0 && servers.every(({ state }) => state !== 'ready')
  if (allDown) return bad('Stalled', noServer(servers))
  if (!newest) return { level: 'busy', word: 'Starting', text: 'the first block is being indexed' }
  if (behind > IN_STEP_BLOCKS)
    return { level: 'busy', word: 'Catching up', text: `${blocks(behind)} behind${timeLeft(status)}` }
  if (missing !== null && missing > 0)
    return {
      level: 'busy',
      word: 'In step, backfilling',
      text: `block ${formatCount(newest.seqno)}; ${blocks(missing)} of history to go${timeLeft(status)}`,
    }
  return { level: 'good', word: 'In step', text: `block ${formatCount(newest.seqno)}` }
}

const bad = (word: string, text: string): Verdict => ({ level: 'bad', word, text })

const blocks = (count: number): string => (count === 1 ? '1 block' : `${formatCount(count)} blocks`)

function timeLeft({ rate: { blocks_per_second: rate, seconds_left: left } }: Status): string {
  if (rate === null || rate < 0.05) return ''
  return `, ${rate.toFixed(1)} blocks/s${left === null ? '' : `, about ${formatDuration(left)}`}`
}

function notFollowed({ newest, servers }: Status, behind: number): string {
  const since = newest ? `block ${formatCount(newest.seqno)} was the last one indexed` : 'nothing is indexed'
  const why =
    servers && servers.length > 0 && servers.every(({ state }) => state !== 'ready')
      ? noServer(servers)
      : 'ingest is not running, or no source answers it'
  return `${why}; ${since}${behind > 0 ? `, ${blocks(behind)} behind the head it saw` : ''}`
}

const noServer = (servers: NonNullable<Status['servers']>): string => {
  const { name, problem } = servers[0]!
  const first = `${name}${problem === null ? '' : ` (${problem})`}`
  return servers.length === 1
    ? `the lite server does not answer: ${first}; it is tried again every few seconds`
    : `none of ${servers.length} lite servers answers, ${first} among them; they are tried again soon`
}
