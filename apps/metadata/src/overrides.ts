import { readFileSync } from 'node:fs'
import { sleep } from '@shardwalk/concurrency'
import { type Db, importOverrides } from '@shardwalk/db'
import { parseOverrides } from '@shardwalk/metadata'
import type { Logger } from '@shardwalk/observability'

export interface OverrideOptions {
  readonly db: Db
  readonly file: string
  readonly log: Logger
  readonly signal: AbortSignal
  /** Pause while tokens are not indexed yet. Default 600,000. */
  readonly againMs?: number
}

/** Pause after an error of the database. */
const FAILED_MS = 5_000

/**
 * Applies the operator's content, repeatedly while it refers to tokens that are not indexed yet. A file that
 * cannot be read does not prevent fetching. Never throws.
 */
export async function applyOverrides(options: OverrideOptions): Promise<void> {
  const { db, log, signal, againMs = 600_000 } = options
  const overrides = readOverrides(options)
  for (let unknown = overrides.length; unknown > 0 && !signal.aborted; ) {
    try {
      const result = await importOverrides(db, overrides, 'file')
      unknown = result.unknown
      if (result.changed > 0) log.info('metadata overrides applied', { ...result })
      if (unknown > 0) await sleep(againMs, signal)
    } catch (error) {
      if (signal.aborted) return
      log.warn('metadata overrides could not be applied', { error, retry_in_ms: FAILED_MS })
      await sleep(FAILED_MS, signal)
    }
  }
}

function readOverrides({ file, log }: OverrideOptions) {
  try {
    return parseOverrides(readFileSync(file, 'utf8'))
  } catch (error) {
    const next = 'correct the file of METADATA_OVERRIDES and start the process again'
    log.warn('metadata overrides could not be read', { file, error, next })
    return []
  }
}
