import { Builder, EMPTY_CELL, serializeBoc } from '@shardwalk/cells'
import type { RunMessage } from './protocol.ts'
import { toRunMessage } from './requests.ts'
import type { RunOutcome } from './tvm-worker.ts'
import type { TvmEnvironment, TvmFailure } from './types.ts'

/** DROP: takes the method id from the stack. */
const CODE = serializeBoc(new Builder().storeUint(0x30, 8).endCell())
const DATA = serializeBoc(EMPTY_CELL)
const ADDRESS = { workchain: 0, hash: Buffer.alloc(32) }

/** Instead of a run that would crash the executor. */
export const UNREADABLE: TvmFailure = {
  ok: false,
  reason: 'refused',
  message: 'the executor cannot read the configuration of the network; update Shardwalk',
  mayPass: true,
}

/**
 * Tells configurations that the executor cannot read, e.g. because a parameter has a newer form, from codes
 * that crash it: it then crashes whatever it is to run. Each is tried once, after the first crash.
 */
export class ReadableEnvironments {
  private readonly known = new WeakMap<TvmEnvironment, boolean>()

  constructor(private readonly run: (message: RunMessage, at: TvmEnvironment) => Promise<RunOutcome>) {}

  isUnreadable(environment: TvmEnvironment): boolean {
    return this.known.get(environment) === false
  }

  /** After a crash. Rejects as `run`. */
  async examine(environment: TvmEnvironment): Promise<void> {
    if (this.known.has(environment)) return
    const call = { environment, code: CODE, data: DATA, address: ADDRESS, method: 0, now: 0 }
    const outcome = await this.run(toRunMessage(call), environment)
    if (outcome.type === 'done') this.known.set(environment, true)
    if (outcome.type === 'failed' && outcome.reason === 'crashed') this.known.set(environment, false)
  }
}
