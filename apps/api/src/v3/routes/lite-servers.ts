import {
  AccountInformationQuery,
  type ExactJson,
  feesObject,
  IGNORED_BY_LEGACY,
  indexedAddressInformation,
  indexedWalletInformation,
  JsonText,
  legacyBodies,
  legacyReplies,
  readFeeRequest,
  readV2Body,
  toAddressInformation,
  toWalletInformation,
  V2_METHODS,
  type V2Address,
} from '@shardwalk/api-schema'
import { formatRawAddress } from '@shardwalk/model'
import { type AccountSnapshot, estimateFee, type NodeAccess } from '@shardwalk/node-access'
import { argumentsOf } from '@shardwalk/node-access/requests'
import { findSuspended } from '@shardwalk/queries'
import { isSuspended } from '@shardwalk/tlb'
import { methodCost } from '../../access/cost.ts'
import { HttpError } from '../../http/errors.ts'
import { type IndexAccess, nodePostRoute, nodeRoute, type Route } from '../../http/route.ts'
import { sendBag } from '../../v2/send.ts'
import { indexedState } from '../indexed-state.ts'

const tag = 'Api/v2'
const FAILS = {
  422: 'A value is wrong.',
  500: 'What a lite server answered, or something is broken.',
  504: 'No lite server answered in time.',
  542: 'There are no lite servers.',
}
const POST_FAILS = { 401: 'Something is missing.', ...FAILS }
const RUN_FAILS = {
  ...POST_FAILS,
  503: 'Too many runs are waiting, or runs of this code failed; see Retry-After.',
}

async function newestState(
  { blocks, accounts }: NodeAccess,
  { address }: AccountInformationQuery,
): Promise<AccountSnapshot> {
  if (!address) throw new HttpError(401, 'address of account is required')
  return accounts.at(await blocks.masterchain(), address)
}

/** `suspended`, which replies have only if it is true. */
const suspension = (isTrue: boolean) => (isTrue ? { suspended: true as const } : undefined)

async function suspensionAt({ configuration }: NodeAccess, { block, address, utime }: AccountSnapshot) {
  return suspension(isSuspended(await configuration.at(block), address, utime))
}

async function indexedSuspension({ db }: IndexAccess, { address }: AccountInformationQuery) {
  const found = await findSuspended(db, async () => (address ? [formatRawAddress(address)] : []))
  return suspension(found.size > 0)
}

const wordsOf = ({ use_v2 }: AccountInformationQuery): 'v2' | 'v3' => (use_v2 ? 'v2' : 'v3')

const getAddressInformation = ['addressInformation', 'account'].map((name) =>
  nodeRoute({
    path: `/api/v3/${name}`,
    ...(name === 'addressInformation' && { operationId: 'api_v3_get_v2_addressInformation' }),
    tag,
    summary: 'State of an account now',
    description:
      'Of the newest indexed block if the index follows the head and knows the state, else of the newest ' +
      'block that a lite server has. An account that never existed is returned as `uninit`; one that ended ' +
      'is `nonexist` in the index and `uninit` for a lite server.',
    query: AccountInformationQuery,
    ignored: IGNORED_BY_LEGACY,
    reply: () => legacyReplies.AddressInformation,
    fails: { 401: 'The address is missing.', ...FAILS },
    async indexed(index, query) {
      const row = await indexedState(index, query)
      return row && { ...indexedAddressInformation(row), ...(await indexedSuspension(index, query)) }
    },
    async handle(node, query) {
      const state = await newestState(node, query)
      return { ...toAddressInformation(state, wordsOf(query)), ...(await suspensionAt(node, state)) }
    },
  }),
)

function requireWallet<T>(reply: T | undefined): T {
  if (reply === undefined) throw new HttpError(409, 'not a wallet')
  return reply
}

const getWalletInformation = ['walletInformation', 'wallet'].map((name) =>
  nodeRoute({
    path: `/api/v3/${name}`,
    tag,
    summary: 'State of a wallet now',
    description: 'As `/api/v3/addressInformation`.',
    query: AccountInformationQuery,
    ignored: IGNORED_BY_LEGACY,
    reply: () => legacyReplies.WalletInformation,
    fails: { 401: 'The address is missing.', 409: 'The account is not a wallet.', ...FAILS },
    async indexed(index, query) {
      const row = await indexedState(index, query)
      if (!row) return undefined
      return { ...requireWallet(indexedWalletInformation(row)), ...(await indexedSuspension(index, query)) }
    },
    async handle(node, query) {
      const state = await newestState(node, query)
      const reply = requireWallet(toWalletInformation(state, wordsOf(query)))
      return { ...reply, ...(await suspensionAt(node, state)) }
    },
  }),
)

const postMessage = nodePostRoute({
  path: '/api/v3/message',
  operationId: 'api_v3_post_v2_message',
  tag,
  summary: 'Send an external message',
  description: 'Either hash finds the message in `/api/v3/messages` and `/api/v3/traces` once indexed.',
  body: legacyBodies.message,
  reply: () => legacyReplies.SentMessage,
  fails: POST_FAILS,
  async handle(node, { boc: given }, work) {
    if (isMissing(given)) throw new HttpError(401, 'boc is required')
    const { boc } = readV2Body(V2_METHODS.sendBocReturnHash.parameters, { boc: given })
    const { hash, hashNorm } = await sendBag(node, boc, work)
    return { message_hash: hash.toString('base64'), message_hash_norm: hashNorm.toString('base64') }
  },
})

const postEstimateFee = nodePostRoute({
  path: '/api/v3/estimateFee',
  operationId: 'api_v3_post_v2_estimate_fee',
  tag,
  summary: 'Fees of an external message',
  description:
    'Runs the message on the current state of its receiver without sending it. Fees are in nanotons.',
  body: legacyBodies.estimateFee,
  cost: methodCost('estimateFee'),
  reply: () => legacyReplies.Fees,
  fails: RUN_FAILS,
  async handle(node, { address, body, init_code, init_data, ignore_chksig }) {
    const given = { address, body, init_code, init_data, ignore_chksig: flagOf(ignore_chksig ?? false) }
    const values = readV2Body(V2_METHODS.estimateFee.parameters, given as Record<string, ExactJson>)
    return { source_fees: feesObject(await estimateFee(node, readFeeRequest(values))), destination_fees: [] }
  },
})

const postRunGetMethod = nodePostRoute({
  path: '/api/v3/runGetMethod',
  operationId: 'api_v3_post_v2_rungetmethod',
  tag,
  summary: 'Run a get-method',
  description: 'A non-zero `exit_code` is a valid result, not an error. Numbers are returned in hexadecimal.',
  body: legacyBodies.runGetMethod,
  cost: methodCost('runGetMethod'),
  reply: () => legacyReplies.GetMethodResult,
  fails: RUN_FAILS,
  stackForm: 'v3',
  async handle(node, { address, method, stack }, work) {
    if (isMissing(address)) throw new HttpError(401, 'address is required')
    if (isMissing(method)) throw new HttpError(401, 'method is required')
    if (typeof address !== 'string' || typeof method !== 'string')
      throw new HttpError(422, 'address and method are texts')
    const given = { address, method, stack: stack ?? [] }
    const query = readV2Body(V2_METHODS.runGetMethod.parameters, given)
    const account = await node.accounts.at(await node.blocks.masterchain(), query.address as V2Address)
    const args = argumentsOf(query.stack, 'v3')
    const run = await node.getMethods.runRaw({ account, method: query.method, stack: args })
    return new JsonText(await work('renderRun', { form: 'v3', run, hasArguments: args !== undefined }))
  },
})

/** Forms have texts. */
const flagOf = (value: ExactJson): ExactJson =>
  typeof value === 'string' ? (FLAGS.get(value.toLowerCase()) ?? value) : value
const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ...['1', 't', 'true', 'on'].map((text) => [text, true] as const),
  ...['0', 'f', 'false', 'off', ''].map((text) => [text, false] as const),
])

const isMissing = (value: ExactJson | undefined): value is undefined | null | '' =>
  value === undefined || value === null || value === ''

/** Endpoints of API v3 that are answered from lite servers instead of the index. */
export const LITE_SERVER_ROUTES: readonly Route[] = [
  ...getAddressInformation,
  ...getWalletInformation,
  postMessage,
  postEstimateFee,
  postRunGetMethod,
]
