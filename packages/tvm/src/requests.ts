import { createHash } from 'node:crypto'
import { Builder, buildDict, type Cell, serializeBoc } from '@shardwalk/cells'
import { methodId, storeStack } from '@shardwalk/contracts'
import { formatRawAddress } from '@shardwalk/model'
import { previousBlocksText } from './previous-blocks.ts'
import type { EmulateMessage, RunMessage } from './protocol.ts'
import { encodeArguments } from './stack-bags.ts'
import type { CacheableCall, EmulateCall, GetMethodCall, TvmEnvironment } from './types.ts'

const DEFAULT_GAS = 1_000_000
const MAX_GAS = 10_000_000

let nextTask = 1
/** Unique in the process, so that pools may share environments. */
let nextEnvironment = 1

/** One unused entry: given no libraries, the executor would keep those of the previous call. */
const NO_LIBRARIES = buildDict([[0n, new Builder().storeRef(new Builder().endCell())]], 256) as Cell

/** What the environment of a run is made of. */
export interface EnvironmentSource {
  /** The dictionary of parameters: `Hashmap 32 ^Cell`. */
  readonly config: Cell
  /** The dictionary from hashes to library cells. */
  readonly libraries?: Cell
}

/**
 * An environment under a new id: threads remember it, so make one for each configuration, not for each call.
 */
export const toEnvironment = ({ config, libraries }: EnvironmentSource): TvmEnvironment => ({
  id: nextEnvironment++,
  config: base64(config),
  libraries: base64(libraries ?? NO_LIBRARIES),
})

/** Throws DecodeError for arguments that cannot be passed. */
export function toRunMessage(call: GetMethodCall): RunMessage {
  const seed = call.seed ?? createHash('sha256').update(formatRawAddress(call.address)).digest()
  return {
    type: 'run',
    task: nextTask++,
    environment: call.environment.id,
    code: text64(call.code),
    data: text64(call.data),
    stack: text64(call.stack ?? encodeArguments(call.args ?? [])),
    methodId: typeof call.method === 'number' ? call.method : methodId(call.method),
    address: formatRawAddress(call.address),
    now: call.now,
    balance: String(call.balance ?? 0n),
    ...extraCurrenciesOf(call),
    ...(call.previousBlocks && { previousBlocks: previousBlocksText(call.previousBlocks) }),
    seed: Buffer.from(seed).toString('hex'),
    gasLimit: String(Math.min(call.gasLimit ?? DEFAULT_GAS, MAX_GAS)),
  }
}

/** The same call has the same seed, unless it brings one, so results can be repeated. */
export function toEmulateMessage(call: EmulateCall): EmulateMessage {
  // A seed of 32 zeros would make the executor use a random one.
  const seed = call.seed ?? createHash('sha256').update(call.message.hash()).digest()
  return {
    type: 'emulate',
    task: nextTask++,
    environment: call.environment.id,
    shardAccount:
      call.shardAccount instanceof Uint8Array ? text64(call.shardAccount) : base64(call.shardAccount),
    message: base64(call.message),
    now: call.now,
    lt: String(call.lt),
    seed: Buffer.from(seed).toString('hex'),
    ignoreSignatures: call.ignoreSignatures,
    ...(call.previousBlocks && { previousBlocks: previousBlocksText(call.previousBlocks) }),
  }
}

/** Equal for calls with equal results. */
export function cacheKey(call: CacheableCall): string {
  const hash = createHash('sha256').update(call.codeHash).update(call.dataHash)
  const { address, method, gasLimit = DEFAULT_GAS, environment } = call
  hash.update(`${formatRawAddress(address)} ${method} ${gasLimit} ${environment.id} `)
  if (call.args && call.args.length > 0) hash.update(storeStack(call.args).hash())
  return hash.digest('base64')
}

/**
 * Given several, the executor joins them without the space that it expects between two; given an amount of
 * zero, it does not end. Source: @ton/sandbox 0.41, `extra_currencies` of a get-method.
 */
function extraCurrenciesOf({ extraCurrencies }: GetMethodCall): Pick<RunMessage, 'extraCurrencies'> {
  const [first, ...others] = [...(extraCurrencies ?? [])].filter(([, amount]) => amount > 0n)
  if (!first) return {}
  const amounts = [first[1], ...others.map(([id, amount]) => `${id}=${amount}`)].join(' ')
  return { extraCurrencies: { [first[0]]: amounts } }
}

const base64 = (cell: Cell): string => serializeBoc(cell).toString('base64')
const text64 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
