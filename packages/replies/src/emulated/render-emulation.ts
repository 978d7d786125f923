import {
  type AddressBookEntry,
  type Json,
  rawAddressesIn,
  toAddressBook,
  toEmulationReply,
  toTransactionReply,
} from '@shardwalk/api-schema'
import { mapPaced } from '@shardwalk/concurrency'
import {
  type EmulatedTrace,
  type EmulationParts,
  type EmulationResult,
  finalStates,
} from '@shardwalk/emulation'
import { formatRawAddress, type RawAddress } from '@shardwalk/model'
import { configGlobalVersion } from '@shardwalk/tlb'
import { AccountNumbers } from '../accounts/account-numbers.ts'
import { Listing } from '../accounts/address-book-listing.ts'
import type { RenderContext } from '../render-context.ts'
import { TYPICAL_BYTES } from '../reply-size.ts'
import { replyContext } from '../transactions/reply-context.ts'
import { actionTexts } from './action-texts.ts'
import { cellTexts } from './cell-texts.ts'
import { interfacesOfCode } from './code-interfaces.ts'
import { deployedMetadata } from './deployed-tokens.ts'
import { expectedOf, transactionView } from './transaction-views.ts'

/** The reply to an emulation. */
export async function renderEmulation(
  context: RenderContext,
  { chain, trace, actions, deployed }: EmulationResult,
  included: EmulationParts,
): Promise<Json> {
  expectSize(context, trace)
  const accounts = new AccountNumbers()
  const config = await chain.node.configuration.at(chain.mcBlock)
  const { message } = trace
  const views = {
    accounts,
    globalVersion: configGlobalVersion(config)?.version ?? 0,
    externalHash: message.hashNorm ?? message.hash,
  }
  const serialiser = replyContext(context, accounts)
  const transactions = await mapPaced(trace.transactions, (emulated) => ({
    hash: emulated.transaction.hash,
    inMsgHash: emulated.transaction.inMsg?.hash,
    parent: emulated.parent,
    reply: toTransactionReply(transactionView(expectedOf(emulated), views), serialiser),
  }))
  const shown = actionTexts(actions, {
    version: context.settings.actionsVersion,
    context,
    externalHashNorm: message.hashNorm,
  })
  const listed = [...accounts.addresses(), ...rawAddressesIn(shown.join(''))]
  return toEmulationReply({
    mcBlockSeqno: chain.mcBlock.seqno,
    transactions,
    actions: shown,
    ...(included.include_code_data && { cells: await cellTexts(trace) }),
    ...(await describe(context, trace, { listed, included, deployed })),
    seed: trace.seed,
    isIncomplete: trace.isIncomplete,
  })
}

function expectSize({ size }: RenderContext, { transactions }: EmulatedTrace): void {
  let bytes = 0
  for (const { transaction } of transactions) {
    bytes += TYPICAL_BYTES.transaction
    for (const { body, initState } of transaction.outMsgs)
      bytes += TYPICAL_BYTES.message + 2 * (body.length + (initState?.length ?? 0))
  }
  size.expect(bytes, 'send a message that causes fewer or smaller ones')
}

interface Described extends Pick<EmulationResult, 'deployed'> {
  readonly listed: readonly RawAddress[]
  readonly included: EmulationParts
}

/** Address book and metadata, as far as they are asked for. */
async function describe(
  context: RenderContext,
  trace: EmulatedTrace,
  { listed, included, deployed }: Described,
) {
  const { include_address_book: hasBook, include_metadata: hasMetadata } = included
  if (!hasBook && !hasMetadata) return {}
  const ids = await context.accounts.idsOf(context.db, listed)
  // The master of a deployed wallet is described as well.
  const masters = deployed.flatMap(({ found }) =>
    found.flatMap((one) => (one.kind === 'jetton_wallet' ? one.jetton : [])),
  )
  const masterIds = await context.accounts.idsOf(context.db, masters)
  const listing = await new Listing(context).list(...ids, ...masterIds).load({ metadata: hasMetadata })
  return {
    ...(hasBook && {
      addressBook: bookOf(context, trace, { listed, known: ids.map((id) => listing.directory.entry(id)) }),
    }),
    ...(hasMetadata && { metadata: metadataOf(context, listing, deployed) }),
  }
}

/** That of the index, and of deployed tokens that it does not know. */
function metadataOf(
  { imageProxy, settings }: RenderContext,
  listing: Listing,
  deployed: EmulationResult['deployed'],
): Json {
  const indexed = listing.metadata()
  if (settings.noMetadata) return indexed
  const { wallets, tokens } = listing.rows
  const known = new Set([...wallets, ...tokens].map((row) => listing.text(row.account_id)))
  const unknown = deployed.filter(({ address }) => !known.has(formatRawAddress(address)))
  const entries = [indexed, deployedMetadata(unknown, imageProxy)].map((object) => object.slice(1, -1))
  return `{${entries.filter((text) => text !== '').join(',')}}`
}

interface Booked {
  readonly listed: readonly RawAddress[]
  /** Those that the index knows. */
  readonly known: readonly AddressBookEntry[]
}

/** Rows of all accounts; those that the trace deploys are described by their new code. */
function bookOf({ testOnly }: RenderContext, trace: EmulatedTrace, { listed, known }: Booked): Json {
  const entries = new Map<string, AddressBookEntry>()
  const states = finalStates(trace)
  for (const address of listed) {
    const raw = formatRawAddress(address)
    const code = states.get(raw)?.code
    const interfaces = code ? interfacesOfCode(code) : []
    entries.set(raw, { address, codeHash: code?.hash() ?? null, interfaces })
  }
  for (const entry of known) if (entry.codeHash) entries.set(formatRawAddress(entry.address), entry)
  return toAddressBook(entries.values(), testOnly)
}
