import { parseBoc } from '@shardwalk/cells'
import { DecodeError } from '@shardwalk/model'
import { decodeResults } from './stack-bags.ts'
import type { RunOutcome } from './tvm-worker.ts'
import type { EmulateResult, GetMethodResult, RawGetMethodResult, TvmFailure } from './types.ts'

/** Failures that another run may not have. */
const PASSING: ReadonlySet<TvmFailure['reason']> = new Set(['timeout', 'crashed', 'suspended'])

/** Bytes of memory that a kept result takes beside its bag, alone and for each of its cells. */
const BYTES_OF_RESULT = 500
const BYTES_OF_CELL = 400

/** Bytes of memory that a kept result takes. */
export const weightOf = (result: GetMethodResult): number =>
  BYTES_OF_RESULT + (result.ok ? result.stackBoc.length + BYTES_OF_CELL * parseBoc(result.stackBoc).count : 0)

/** Whether a later run may have a result. */
export const mayPass = ({ reason }: TvmFailure): boolean => PASSING.has(reason)

/** The result of a get-method, its stack still as a bag of cells. */
export function toGetMethodResult(outcome: RunOutcome): RawGetMethodResult {
  if (outcome.type === 'failed') return toFailure(outcome)
  if (outcome.type !== 'done') return OF_ANOTHER_CALL
  const { exitCode, gasUsed, missingLibrary, missesPreviousBlocks, readsConfig, readsMoment } = outcome
  return {
    ok: true,
    exitCode,
    gasUsed,
    stackBoc: Buffer.from(outcome.stack, 'base64'),
    ...(missingLibrary && { missingLibrary: Buffer.from(missingLibrary, 'hex') }),
    ...(missesPreviousBlocks && { missesPreviousBlocks }),
    ...(readsConfig && { readsConfig }),
    ...(readsMoment && { readsMoment }),
  }
}

/** The same with its stack; a failure if that is deeper or larger than this program decodes. */
export function decodeStack(result: RawGetMethodResult): GetMethodResult {
  if (!result.ok) return result
  try {
    return { ...result, stack: decodeResults(result.stackBoc) }
  } catch (error) {
    if (error instanceof DecodeError) return { ok: false, reason: 'too_big', message: error.message }
    throw error
  }
}

/** The result of an emulation. */
export function toEmulateResult(outcome: RunOutcome): EmulateResult {
  if (outcome.type === 'failed') return toFailure(outcome)
  if (outcome.type !== 'emulated') return OF_ANOTHER_CALL
  const { transaction, shardAccount, actions, exitCode, missesPreviousBlocks } = outcome
  const { refusedRun = { steps: 0, logTail: '' } } = outcome
  const ran = { ok: true, ...(missesPreviousBlocks && { missesPreviousBlocks }) } as const
  if (transaction === null || shardAccount === null)
    return { ...ran, accepted: false, ...refusedRun, ...(exitCode !== null && { exitCode }) }
  return {
    ...ran,
    accepted: true,
    transaction: Buffer.from(transaction, 'base64'),
    shardAccount: Buffer.from(shardAccount, 'base64'),
    ...(actions !== null && { actions: Buffer.from(actions, 'base64') }),
  }
}

const OF_ANOTHER_CALL: TvmFailure = { ok: false, reason: 'crashed', message: 'answer to another call' }

const toFailure = ({ reason, message }: Extract<RunOutcome, { type: 'failed' }>): TvmFailure => ({
  ok: false,
  reason,
  message,
})
