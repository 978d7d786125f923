import type { Cell } from '@shardwalk/cells'
import { MASTERCHAIN, type RawAddress, sameAddress } from '@shardwalk/model'
import type { StackValue } from '../get-methods/stack.ts'
import { readStack } from '../get-methods/stack-reader.ts'
import { hasCode } from '../interfaces/code-hashes.ts'
import { type ContractReader, type ContractState, callMethod } from './ports.ts'
import { intValue, readDict } from './stack-values.ts'

/** EQBfBWT7X2BHg9tXAxzhz2aKiNTU1tpt5NsiK0uSDW_YAJ67, mainnet. */
const DEDUST_FACTORY: RawAddress = {
  workchain: 0,
  hash: Buffer.from('5f0564fb5f604783db57031ce1cf668a88d4d4d6da6de4db222b4b920d6fd800', 'hex'),
}

/** Nominator pool v1. Amounts in nanotons, times in Unix seconds, the validator's share in 1/10,000. */
export interface NominatorPool {
  readonly kind: 'nominator_pool'
  readonly state: number
  readonly nominatorsCount: number
  readonly stakeAmountSent: bigint
  readonly validatorAmount: bigint
  /** Account id in the masterchain. */
  readonly validator: RawAddress
  readonly validatorRewardShare: number
  readonly maxNominatorsCount: number
  readonly minValidatorStake: bigint
  readonly minNominatorStake: bigint
  readonly nominators: readonly Nominator[]
  readonly stakeAt: number
  readonly validatorSetChangesCount: number
  readonly validatorSetChangeTime: number
  readonly stakeHeldFor: number
}

/** A depositor of a pool. Amounts in nanotons. */
export interface Nominator {
  readonly address: RawAddress
  readonly amount: bigint
  readonly pendingDeposit: bigint
  readonly withdrawRequested: boolean
}

/**
 * DeDust v2 pool confirmed by its factory. An asset is undefined for TON. `tradeFee`: fraction of the amount.
 */
export interface DedustPool {
  readonly kind: 'dedust_pool'
  readonly isStable: boolean
  readonly assets: readonly [RawAddress | undefined, RawAddress | undefined]
  readonly reserves: readonly [bigint, bigint]
  readonly tradeFee: number
}

/**
 * STON.fi pool. `tokens`: jetton wallets of the router. Fees in 1/10,000. The data of a v1 pool do not
 * contain its router.
 */
export interface StonfiPool {
  readonly kind: 'stonfi_pool'
  readonly version: 1 | 2
  readonly router: RawAddress | undefined
  readonly reserves: readonly [bigint, bigint]
  readonly tokens: readonly [RawAddress, RawAddress]
  readonly lpFee: bigint
  readonly protocolFee: bigint
}

/** Result of `get_pool_data`. Source: ton-blockchain/nominator-pool. */
const POOL_DATA = {
  state: 'int',
  nominatorsCount: 'int',
  stakeAmountSent: 'int',
  validatorAmount: 'int',
  validatorAddress: 'int',
  validatorRewardShare: 'int',
  maxNominatorsCount: 'int',
  minValidatorStake: 'int',
  minNominatorStake: 'int',
  nominators: 'cell?',
  withdrawRequests: 'cell?',
  stakeAt: 'int',
  savedValidatorSetHash: 'int',
  validatorSetChangesCount: 'int',
  validatorSetChangeTime: 'int',
  stakeHeldFor: 'int',
} as const

/** Undefined unless the code is that of the pool. */
export async function detectNominatorPool(
  contract: ContractState,
  reader: ContractReader,
): Promise<NominatorPool | undefined> {
  if (!hasCode(contract.codeHash, 'nominator_pool_v1')) return undefined
  const data = readStack(await callMethod(reader, contract, 'get_pool_data'), POOL_DATA)
  const nominators = data && readNominators(data.nominators, data.withdrawRequests)
  if (!nominators || data.validatorAddress < 0n) return undefined
  const { stakeAmountSent, validatorAmount, minValidatorStake, minNominatorStake } = data
  return {
    kind: 'nominator_pool',
    state: Number(data.state),
    nominatorsCount: Number(data.nominatorsCount),
    stakeAmountSent,
    validatorAmount,
    validator: {
      workchain: MASTERCHAIN,
      hash: Buffer.from(data.validatorAddress.toString(16).padStart(64, '0'), 'hex'),
    },
    validatorRewardShare: Number(data.validatorRewardShare),
    maxNominatorsCount: Number(data.maxNominatorsCount),
    minValidatorStake,
    minNominatorStake,
    nominators,
    stakeAt: Number(data.stakeAt),
    validatorSetChangesCount: Number(data.validatorSetChangesCount),
    validatorSetChangeTime: Number(data.validatorSetChangeTime),
    stakeHeldFor: Number(data.stakeHeldFor),
  }
}

/**
 * `nominators`: account id in the basechain to deposit:Coins pending_deposit:Coins; `requests`: set of
 * account ids.
 */
function readNominators(nominators: Cell | undefined, requests: Cell | undefined): Nominator[] | undefined {
  const requested = readDict(requests, 256, (_value, key) => key.toBuffer().toString('hex'))
  if (!requested) return undefined
  const wanted = new Set(requested)
  return readDict(nominators, 256, (value, key): Nominator => {
    const hash = Buffer.from(key.toBuffer())
    const amount = value.loadCoins()
    const withdrawRequested = wanted.has(hash.toString('hex'))
    return { address: { workchain: 0, hash }, amount, pendingDeposit: value.loadCoins(), withdrawRequested }
  })
}

/** Undefined unless the code is that of the pool and the factory derives its address from its assets. */
export async function detectDedustPool(
  contract: ContractState,
  reader: ContractReader,
): Promise<DedustPool | undefined> {
  if (!hasCode(contract.codeHash, 'dedust_pool_code')) return undefined
  const slices = readStack(await callMethod(reader, contract, 'get_assets'), {
    asset0: 'slice',
    asset1: 'slice',
  })
  const stable = readStack(await callMethod(reader, contract, 'is_stable'), { isStable: 'bool' })
  const reserves = readStack(await callMethod(reader, contract, 'get_reserves'), {
    reserve0: 'int',
    reserve1: 'int',
  })
  const fee = readStack(await callMethod(reader, contract, 'get_trade_fee'), {
    numerator: 'int',
    denominator: 'int',
  })
  const asset0 = slices && readDedustAsset(slices.asset0)
  const asset1 = slices && readDedustAsset(slices.asset1)
  const factory = await reader.find(DEDUST_FACTORY)
  if (!asset0 || !asset1 || !stable || !reserves || !fee || !factory) return undefined
  const args: StackValue[] = [
    intValue(stable.isStable ? -1 : 0),
    { type: 'slice', cell: slices.asset0 },
    { type: 'slice', cell: slices.asset1 },
  ]
  const named = readStack(await callMethod(reader, factory, 'get_pool_address', args), { pool: 'address' })
  if (!named || !sameAddress(named.pool, contract.address)) return undefined
  const hasFee = fee.numerator !== 0n && fee.denominator !== 0n
  return {
    kind: 'dedust_pool',
    isStable: stable.isStable,
    assets: [asset0.jetton, asset1.jetton],
    reserves: [reserves.reserve0, reserves.reserve1],
    tradeFee: hasFee ? Number(fee.numerator) / Number(fee.denominator) : 0,
  }
}

/** `native$0000`, `jetton$0001 workchain_id:int8 address:bits256`. */
function readDedustAsset(cell: Cell): { readonly jetton: RawAddress | undefined } | undefined {
  if (cell.isExotic || cell.bits < 4) return undefined
  const slice = cell.slice()
  const kind = slice.loadUint(4)
  if (kind === 0) return { jetton: undefined }
  if (kind !== 1 || slice.remainingBits < 264) return undefined
  return { jetton: { workchain: slice.loadInt(8), hash: slice.loadBytes(32) } }
}

/** Undefined unless `get_pool_data` answers as in STON.fi v1 or v2. */
export async function detectStonfiPool(
  contract: ContractState,
  reader: ContractReader,
): Promise<StonfiPool | undefined> {
  const stack = await callMethod(reader, contract, 'get_pool_data')
  const v2 = readStack(stack, {
    isLocked: 'bool',
    router: 'address',
    totalSupply: 'int',
    reserve0: 'int',
    reserve1: 'int',
    token0: 'address',
    token1: 'address',
    lpFee: 'int',
    protocolFee: 'int',
    protocolFeeAddress: 'address?',
    collected0: 'int',
    collected1: 'int',
  })
  if (v2) return toStonfiPool(v2, 2, v2.router)
  const v1 = readStack(stack, {
    reserve0: 'int',
    reserve1: 'int',
    token0: 'address',
    token1: 'address',
    lpFee: 'int',
    protocolFee: 'int',
    refFee: 'int',
    protocolFeeAddress: 'address?',
    collected0: 'int',
    collected1: 'int',
  })
  return v1 && toStonfiPool(v1, 1, undefined)
}

type StonfiFields = Record<'reserve0' | 'reserve1' | 'lpFee' | 'protocolFee', bigint> &
  Record<'token0' | 'token1', RawAddress>

const toStonfiPool = (fields: StonfiFields, version: 1 | 2, router: RawAddress | undefined): StonfiPool => ({
  kind: 'stonfi_pool',
  version,
  router,
  reserves: [fields.reserve0, fields.reserve1],
  tokens: [fields.token0, fields.token1],
  lpFee: fields.lpFee,
  protocolFee: fields.protocolFee,
})
