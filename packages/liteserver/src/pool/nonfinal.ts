import type { LiteFunctionName } from '@shardwalk/tl'
import { LiteServerError } from '../errors.ts'
import { isOverload, isRateLimit } from './verdict.ts'

/**
 * Queries for blocks that the masterchain has not committed yet. Servers refuse them unless started with
 * `--nonfinal-ls`. Source: lite_api.tl; node, liteserver.cpp.
 */
export const NONFINAL_FUNCTIONS = [
  'liteServer.nonfinal.getPendingShardBlocks',
  'liteServer.nonfinal.getValidatorGroups',
] as const satisfies readonly LiteFunctionName[]
/** Name of such a query. */
export type NonfinalFunction = (typeof NONFINAL_FUNCTIONS)[number]

/** A server that is busy when it is asked first is asked again so often. */
const ATTEMPTS = 3
const PAUSE_MS = 10_000

interface Probed {
  /** Rejects if the server refuses. */
  readonly ask: (name: NonfinalFunction) => Promise<unknown>
  /** The connection is gone. */
  readonly isOver: () => boolean
  readonly pause: (ms: number) => Promise<void>
}

/** Which of the queries a server answers. One that refuses them is not asked again. */
export async function nonfinalOffers({ ask, isOver, pause }: Probed): Promise<Set<NonfinalFunction>> {
  const found = new Set<NonfinalFunction>()
  for (const name of NONFINAL_FUNCTIONS)
    for (let attempt = 1; !isOver(); attempt++) {
      const answer = await ask(name).then(
        () => 'offered' as const,
        (error: unknown) => error,
      )
      if (answer === 'offered') found.add(name)
      if (answer === 'offered' || !isBusy(answer) || attempt === ATTEMPTS) break
      await pause(PAUSE_MS)
    }
  return found
}

const isBusy = (error: unknown): boolean =>
  isRateLimit(error) || isOverload(error) || !(error instanceof LiteServerError)
