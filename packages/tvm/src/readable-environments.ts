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

/** The machine may have lacked memory, and the next configuration may be hours away. */
const HEAL_MS = 60_000

interface Options {
  readonly run: (message: RunMessage, at: TvmEnvironment) => Promise<RunOutcome>
  /** Monotonic clock in milliseconds. */
  readonly now?: (() => number) | undefined
}

/**
 * Tells configurations that the executor cannot read, e.g. because a parameter has a newer form, from codes
 * that crash it: it then crashes whatever it is to run. Each is tried after its first crash, and an
 * unreadable one once a minute.
 */
export class ReadableEnvironments {
  private readonly readable = new WeakSet<TvmEnvironment>()
  private readonly unreadableUntil = new WeakMap<TvmEnvironment, number>()
  private readonly now: () => number

  constructor(private readonly options: Options) {
    this.now = options.now ?? (() => performance.now())
  }

  isUnreadable(environment: TvmEnvironment): boolean {
    return this.now() < (this.unreadableUntil.get(environment) ?? Number.NEGATIVE_INFINITY)
  }

  /** After a crash. Rejects as `run`. */
  async examine(environment: TvmEnvironment): Promise<void> {
    if (this.readable.has(environment) || this.isUnreadable(environment)) return
    const call = { environment, code: CODE, data: DATA, address: ADDRESS, method: 0, now: 0 }
    const outcome = await this.options.run(toRunMessage(call), environment)
    if (outcome.type === 'done') this.readable.add(environment)
    if (outcome.type === 'failed' && outcome.reason === 'crashed')
      this.unreadableUntil.set(environment, this.now() + HEAL_MS)
  }
}
