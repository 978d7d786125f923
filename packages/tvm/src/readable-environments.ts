import { Builder, EMPTY_CELL, serializeBoc } from '@shardwalk/cells'
import type { EmulateMessage, RunMessage } from './protocol.ts'
import { toEmulateMessage, toRunMessage } from './requests.ts'
import type { RunOutcome } from './tvm-worker.ts'
import type { TvmEnvironment, TvmFailure } from './types.ts'

/** DROP: takes the method id from the stack. */
const CODE = serializeBoc(new Builder().storeUint(0x30, 8).endCell())
const DATA = serializeBoc(EMPTY_CELL)
const ADDRESS = { workchain: 0, hash: Buffer.alloc(32) }
/** block.tlb `account_descr$_` with `account_none$0`. */
const NO_ACCOUNT = new Builder()
  .storeRef(new Builder().storeBit(false).endCell())
  .storeBytes(Buffer.alloc(32))
  .storeUint(0, 64)
  .endCell()
/** block.tlb `ext_in_msg_info$10` without init and body. */
const MESSAGE = new Builder()
  .storeUint(0b1000, 4)
  .storeAddress(ADDRESS)
  .storeCoins(0n)
  .storeUint(0, 2)
  .endCell()

type Probe = (environment: TvmEnvironment) => RunMessage | EmulateMessage

/** A get-method that does nothing. */
const getMethodProbe: Probe = (environment) =>
  toRunMessage({ environment, code: CODE, data: DATA, address: ADDRESS, method: 0, now: 0 })

/** A message to nobody: an emulation reads more of the configuration than a get-method does. */
export const emulationProbe: Probe = (environment) =>
  toEmulateMessage({
    ...{ environment, shardAccount: NO_ACCOUNT, message: MESSAGE },
    ...{ now: 1, lt: 1n, ignoreSignatures: false },
  })

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
  readonly run: (message: RunMessage | EmulateMessage, at: TvmEnvironment) => Promise<RunOutcome>
  /** Default: of get-methods. */
  readonly probe?: Probe
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
    const { run, probe = getMethodProbe } = this.options
    const outcome = await run(probe(environment), environment)
    if (outcome.type !== 'failed') this.readable.add(environment)
    if (outcome.type === 'failed' && outcome.reason === 'crashed')
      this.unreadableUntil.set(environment, this.now() + HEAL_MS)
  }
}
