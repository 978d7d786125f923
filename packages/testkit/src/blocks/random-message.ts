import { Builder, type Cell } from '@shardwalk/cells'
import type { ExtraCurrencies, MessageKind, RawAddress } from '@shardwalk/model'
import { buildExtraCurrencies } from '@shardwalk/tlb'
import { isWide } from './is-wide.ts'
import type { Random } from './random.ts'
import { deepTree, exoticCell, fullTree, libraryDict, randomTree, updateCell } from './random-trees.ts'

/** A message cell and what was put into it. */
export interface GeneratedMessage {
  readonly cell: Cell
  readonly kind: MessageKind
  readonly source?: RawAddress
  readonly destination?: RawAddress
  readonly value?: bigint
  readonly valueExtraCurrencies?: ExtraCurrencies
  readonly createdLt?: bigint
  readonly bodyHash: Buffer
  readonly initStateHash?: Buffer
  /** An address in it is rewritten by anycast or of variable length, which not every reader accepts. */
  readonly hasRareAddress: boolean
  /** The masterchain itself made it. */
  readonly isSystem?: true
}

interface Between {
  readonly source: RawAddress
  readonly destination: RawAddress
  readonly lt: bigint
  readonly now: number
}

/** block.tlb `int_msg_info$0`. */
export function internalMessage(random: Random, { source, destination, lt, now }: Between): GeneratedMessage {
  const value = random.coins()
  const extra = random.currencies(0.1)
  const builder = new Builder().storeBit(false)
  for (let flag = 0; flag < 3; flag++) builder.storeBit(random.chance(0.3))
  const fromAnycast = random.chance(0.03)
  storeAddress(random, builder, source, fromAnycast)
  const rare = storeDestination(random, builder, destination)
  builder.storeCoins(value).storeMaybeRef(extra && buildExtraCurrencies(extra))
  // The slot that was ihr_fee and is extra_flags.
  builder
    .storeCoins(random.rarely() ? random.big(120) : random.pick([0n, 1n, 3n]))
    .storeCoins(random.coins())
    .storeUint(lt, 64)
    .storeUint(now, 32)
  const hasRareAddress = fromAnycast || rare !== 'none' || isWide(source) || isWide(destination)
  return {
    ...finish(random, builder, extra ? 1 : 0),
    ...{ kind: 'internal', source, value, createdLt: lt, hasRareAddress },
    ...(rare !== 'unknown' && { destination }),
    ...(extra && { valueExtraCurrencies: extra }),
  }
}

/** block.tlb `ext_in_msg_info$10`. */
export function externalInMessage(random: Random, destination: RawAddress): GeneratedMessage {
  const hasAnycast = random.chance(0.05)
  const builder = new Builder().storeUint(0b10, 2)
  storeExternal(random, builder)
  storeAddress(random, builder, destination, hasAnycast)
  builder.storeCoins(random.pick([0n, random.big(120)]))
  const hasRareAddress = hasAnycast || isWide(destination)
  return { ...finish(random, builder, 0), kind: 'external_in', destination, hasRareAddress }
}

/** block.tlb `ext_out_msg_info$11`. */
export function externalOutMessage(
  random: Random,
  { source, lt, now }: Omit<Between, 'destination'>,
): GeneratedMessage {
  const builder = new Builder().storeUint(0b11, 2).storeAddress(source)
  storeExternal(random, builder)
  builder.storeUint(lt, 64).storeUint(now, 32)
  return {
    ...finish(random, builder, 0),
    kind: 'external_out',
    source,
    createdLt: lt,
    hasRareAddress: isWide(source),
  }
}

/** `addr_none` or an external address of any length. */
function storeExternal(random: Random, builder: Builder): void {
  if (random.chance(0.5)) builder.storeUint(0, 2)
  else {
    const bits = random.pick([0, 1, 8, 9, 32, 256, 300, 511])
    builder.storeUint(1, 2).storeUint(bits, 9).storeUint(random.big(bits), bits)
  }
}

/**
 * `variable`: an `addr_var` that names the same account. `unknown`: one of another length, for a workchain
 * whose addresses are not understood.
 */
function storeDestination(
  random: Random,
  builder: Builder,
  to: RawAddress,
): 'none' | 'anycast' | 'variable' | 'unknown' {
  const kind = random.chance(0.08) ? random.pick(['anycast', 'variable', 'unknown'] as const) : 'none'
  if (kind === 'none' || kind === 'anycast') storeAddress(random, builder, to, kind === 'anycast')
  else if (kind === 'variable') storeVariable(builder, to.workchain, to.hash, 256)
  else storeVariable(builder, random.int32(), to.hash, random.pick([0, 1, 64, 255]))
  return kind
}

/** block.tlb `addr_var$11`. */
function storeVariable(builder: Builder, workchain: number, hash: Buffer, bits: number): void {
  builder.storeUint(0b110, 3).storeUint(bits, 9).storeInt(workchain, 32)
  builder.storeUint(BigInt(`0x${hash.toString('hex')}`) >> BigInt(256 - bits), bits)
}

/** With anycast the bits of the prefix stand in the rewriting, and others in the address. */
function storeAddress(random: Random, builder: Builder, address: RawAddress, anycast: boolean): void {
  if (!anycast || isWide(address)) {
    builder.storeAddress(address)
    return
  }
  const bits = random.rarely() ? random.between(1, 30) : 8
  const { workchain, hash } = address
  const other = Buffer.from(hash)
  for (let at = 0; at < bits >> 3; at++) other[at]! ^= 0xff
  builder
    .storeUint(0b101, 3)
    .storeUint(bits, 5)
    .storeUint(hash.readUInt32BE(0) >>> (32 - bits), bits)
  builder.storeInt(workchain, 8).storeBytes(other)
}

/** Adds init and body, in line or in references. */
function finish(random: Random, builder: Builder, refs: number) {
  const init = random.maybe(0.2, () => randomInit(random))
  builder.storeBit(init !== undefined)
  let used = refs
  if (init) {
    const inLine = refs === 0 && builder.bits + init.bits < 700 && random.chance(0.5)
    builder.storeBit(!inLine)
    if (inLine) builder.storeCell(init)
    else builder.storeRef(init)
    used += inLine ? init.refs.length : 1
  }
  const body = randomBody(random)
  const inLine =
    !body.isExotic && body.bits + builder.bits < 1000 && body.refs.length + used <= 4 && random.chance(0.5)
  builder.storeBit(!inLine)
  if (inLine) builder.storeCell(body)
  else builder.storeRef(body)
  return {
    cell: builder.endCell(),
    bodyHash: body.hash(),
    ...(init && { initStateHash: init.hash() }),
  }
}

function randomBody(random: Random): Cell {
  const choice = random.below(8)
  if (choice === 0) return new Builder().endCell()
  if (choice === 1) return new Builder().storeUint(random.below(8), 3).endCell()
  if (random.rarely()) return random.pick([updateCell, fullTree, (by: Random) => deepTree(by, 500)])(random)
  if (choice === 2) return deepTree(random, random.between(1, 100))
  if (choice === 3) return exoticCell(random)
  return randomTree(random, random.between(1, 8))
}

/** block.tlb `StateInit`. */
function randomInit(random: Random): Cell {
  const builder = new Builder()
  // fixed_prefix_length; tick and tock.
  for (const bits of [5, 2]) {
    const given = random.maybe(0.3, () => random.below(1 << bits))
    builder.storeBit(given !== undefined)
    if (given !== undefined) builder.storeUint(given, bits)
  }
  const large = random.chance(0.3) ? 12 : 3
  // Code and data that are references to libraries, or proofs.
  const part = (cells: number) => (random.rarely() ? exoticCell(random) : randomTree(random, cells))
  builder.storeMaybeRef(random.maybe(0.8, () => part(large)))
  builder.storeMaybeRef(random.maybe(0.8, () => part(3)))
  return builder.storeMaybeRef(random.maybe(0.3, () => libraryDict([randomTree(random, 3)])!)).endCell()
}
