import { cellText, friendly, normalizedAddress, type V2Address } from '@shardwalk/api-schema'
import { Builder, type Cell, sha256 } from '@shardwalk/cells'
import type { StackValue } from '@shardwalk/contracts'
import { type BlockId, DecodeError, type RawAddress, sameAddress } from '@shardwalk/model'
import type { AccountSnapshot } from '@shardwalk/node-access'
import type { V2Context, V2Handlers } from './context.ts'
import { readDnsRecord, readDnsRecords } from './dns.ts'
import { failure } from './failures.ts'
import { readTokenContent } from './token-content.ts'

/** The contract is not of the kind that is being tried. */
class AnotherKind extends Error {}

/** One contract, at one block. */
interface Subject {
  readonly context: V2Context
  readonly account: AccountSnapshot
  readonly block: BlockId
  /** As it was asked for. */
  readonly shownAddress: string
}

export const TOKEN_HANDLERS: V2Handlers<'getTokenData'> = {
  async getTokenData(context, { address, seqno }) {
    const block = await context.chain.reference(seqno)
    const account = await context.chain.account(block, address)
    const shownAddress = normalizedAddress(address as V2Address)
    const subject = { context, account, block, shownAddress }
    if (account.code)
      for (const detect of [jettonMaster, jettonWallet, nftCollection, nftItem]) {
        const found = await detect(subject).catch(notThisKind)
        if (found) return found
      }
    throw failure(409, `Smart contract ${shownAddress} is not Jetton or NFT`)
  },
}

/** Odd contracts fail in many ways; each only means that it is not of this kind. Source: API v2 specification 4.6. */
function notThisKind(error: unknown): undefined {
  if (error instanceof AnotherKind || error instanceof DecodeError) return undefined
  throw error
}

async function call(
  { context, account }: Pick<Subject, 'context' | 'account'>,
  method: string,
  least: number,
  args: readonly StackValue[] = [],
): Promise<readonly StackValue[]> {
  const { exitCode, stack } = await context.getMethods.run({ account, method, args, isSlim: true })
  if (exitCode !== 0 || stack.length < least) throw new AnotherKind()
  return stack
}

const fail = (): never => {
  throw new AnotherKind()
}
const intOf = (value: StackValue | undefined): bigint => (value?.type === 'int' ? value.value : fail())
const cellOf = (value: StackValue | undefined): Cell => (value?.type === 'cell' ? value.cell : fail())
const flagOf = (value: StackValue | undefined): boolean => intOf(value) !== 0n

/** An address in a cell or slice; undefined for `addr_none`. */
function addressOf(value: StackValue | undefined): RawAddress | undefined {
  if (value?.type !== 'cell' && value?.type !== 'slice') return fail()
  const slice = value.cell.slice()
  const tag = slice.loadUint(2)
  if (tag === 0) return undefined
  if (tag !== 2 || slice.loadBit()) return fail()
  return { workchain: slice.loadInt(8), hash: slice.loadBytes(32) }
}

const knownAddress = (value: StackValue | undefined): RawAddress => addressOf(value) ?? fail()

/** Member that is left out for no address. */
const optionalAddress = (name: string, address: RawAddress | undefined) =>
  address ? { [name]: friendly(address) } : {}

const addressArgument = ({ workchain, hash }: RawAddress): StackValue => ({
  type: 'slice',
  cell: new Builder().storeAddress({ workchain, hash }).endCell(),
})

async function jettonMaster(subject: Subject) {
  const [supply, mintable, admin, content, code] = await call(subject, 'get_jetton_data', 5)
  return {
    '@type': 'ext.tokens.jettonMasterData',
    contract_type: 'jetton_master',
    address: subject.shownAddress,
    total_supply: String(intOf(supply)),
    mintable: flagOf(mintable),
    ...optionalAddress('admin_address', addressOf(admin)),
    jetton_content: readTokenContent(cellOf(content)),
    jetton_wallet_code: cellText(cellOf(code)),
  }
}

async function jettonWallet(subject: Subject) {
  const [balance, ownerValue, masterValue, code] = await call(subject, 'get_wallet_data', 4)
  const owner = knownAddress(ownerValue)
  const master = knownAddress(masterValue)
  const parent = await load(subject, master)
  const [address] = await call(parent, 'get_wallet_address', 1, [addressArgument(owner)])
  if (!sameAddress(knownAddress(address), subject.account.address)) throw new AnotherKind()
  return {
    '@type': 'ext.tokens.jettonWalletData',
    contract_type: 'jetton_wallet',
    address: subject.shownAddress,
    balance: String(intOf(balance)),
    owner: friendly(owner),
    jetton: friendly(master),
    jetton_wallet_code: cellText(cellOf(code)),
    ...(await mintlessClaim(subject)),
  }
}

async function mintlessClaim({
  context,
  account,
}: Subject): Promise<{ readonly mintless_is_claimed?: boolean }> {
  const { exitCode, stack } = await context.getMethods.run({
    account,
    method: 'is_claimed',
    args: [],
    isSlim: true,
  })
  const [claimed] = stack
  return exitCode === 0 && stack.length === 1 && claimed?.type === 'int'
    ? { mintless_is_claimed: claimed.value !== 0n }
    : {}
}

async function nftCollection(subject: Subject) {
  const [next, content, owner] = await call(subject, 'get_collection_data', 3)
  return {
    '@type': 'ext.tokens.nftCollectionData',
    contract_type: 'nft_collection',
    address: subject.shownAddress,
    next_item_index: String(intOf(next)),
    ...optionalAddress('owner_address', addressOf(owner)),
    collection_content: readTokenContent(cellOf(content)),
  }
}

async function nftItem(subject: Subject) {
  const [init, indexValue, collectionValue, owner, content] = await call(subject, 'get_nft_data', 5)
  const index = intOf(indexValue)
  const collection = addressOf(collectionValue)
  return {
    '@type': 'ext.tokens.nftItemData',
    contract_type: 'nft_item',
    address: subject.shownAddress,
    init: flagOf(init),
    index: String(index),
    ...optionalAddress('collection_address', collection),
    ...optionalAddress('owner_address', addressOf(owner)),
    content: collection
      ? await collectionItemContent(subject, collection, index, cellOf(content))
      : readTokenContent(cellOf(content)),
  }
}

async function collectionItemContent(
  subject: Subject,
  collection: RawAddress,
  index: bigint,
  individual: Cell,
) {
  const parent = await load(subject, collection)
  const number: StackValue = { type: 'int', value: index }
  const [address] = await call(parent, 'get_nft_address_by_index', 1, [number])
  if (!sameAddress(knownAddress(address), subject.account.address)) throw new AnotherKind()
  const domain = await domainContent(subject)
  if (domain) return domain
  const [content] = await call(parent, 'get_nft_content', 1, [number, { type: 'cell', cell: individual }])
  return readTokenContent(cellOf(content))
}

/** An item that resolves names is shown as a domain. */
async function domainContent(subject: Subject) {
  const { context, account } = subject
  const { exitCode, stack } = await context.getMethods.run({
    account,
    method: 'dnsresolve',
    args: [
      { type: 'slice', cell: new Builder().storeUint(0, 8).endCell() },
      { type: 'int', value: 0n },
    ],
    isSlim: true,
  })
  const [, records] = stack
  if (exitCode !== 0 || stack.length !== 2 || records?.type !== 'cell') return undefined
  try {
    return { domain: await domainName(subject), data: domainRecords(records.cell) }
  } catch (error) {
    if (error instanceof DecodeError) return undefined
    throw error
  }
}

async function domainName({ context, account }: Subject): Promise<string> {
  const { exitCode, stack } = await context.getMethods.run({
    account,
    method: 'get_domain',
    args: [],
    isSlim: true,
  })
  const [name] = stack
  if (exitCode !== 0 || (name?.type !== 'cell' && name?.type !== 'slice')) return ''
  const slice = name.cell.slice()
  return `${slice.loadBytes(Math.floor(slice.remainingBits / 8)).toString('utf8')}.ton`
}

const CATEGORIES = new Map(
  ['wallet', 'site', 'storage', 'dns_next_resolver'].map((name) => [
    sha256(Buffer.from(name)).toString('hex'),
    name,
  ]),
)

function domainRecords(root: Cell): Record<string, object> {
  const shown = readDnsRecords(root).flatMap(([category, cell]) => {
    const hex = category.toString('hex')
    const record = cell.isExotic ? undefined : recordOf(cell)
    return record ? [[CATEGORIES.get(hex) ?? hex.toUpperCase(), record] as const] : []
  })
  return Object.fromEntries(shown)
}

function recordOf(cell: Cell): object | undefined {
  const record = readDnsRecord(cell.slice())
  switch (record?.type) {
    case 'smc':
      return { '@type': 'dns_smc_address', smc_addr: standardAddress(record.address) }
    case 'nextResolver':
      return { '@type': 'dns_next_resolver', resolver: standardAddress(record.address) }
    case 'adnl':
      return { '@type': 'dns_adnl_address', adnl_addr: record.bytes.toString('hex') }
    case 'storage':
      return { '@type': 'dns_storage_address', bag_id: record.bytes.toString('hex') }
    default:
      return undefined
  }
}

const standardAddress = ({ workchain, hash }: RawAddress) => ({
  '@type': 'addr_std',
  workchain_id: workchain,
  address: hash.toString('hex'),
})

async function load({ context, block }: Subject, address: RawAddress) {
  if (address.workchain !== 0 && address.workchain !== -1) throw new AnotherKind()
  return { context, account: await context.chain.account(block, address) }
}
