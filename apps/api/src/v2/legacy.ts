import {
  AccountInformationQuery,
  cellText,
  type ExactJson,
  feesObject,
  hexOf,
  IGNORED_BY_LEGACY,
  jsonNumber,
  listItems,
  parseQueryString,
  REQUEST_SETTINGS,
  readFeeRequest,
  readLegacyStack,
  readQuery,
  readV2Body,
  requestCell,
  shown,
  toJsonText,
  V2_METHODS,
  type V2Address,
  V2Refusal,
} from '@shardwalk/api-schema'
import { type StackValue, walletState } from '@shardwalk/contracts'
import { type AccountSnapshot, estimateFee, type NodeAccess, sendMessage } from '@shardwalk/node-access'
import type { Express, Request, Response } from 'express'
import { HttpError } from '../http/errors.ts'
import { nameIgnored, queryString, sendJson } from '../http/mount.ts'
import type { ApiServices } from '../services.ts'
import { noServers, toV2Failure } from './failures.ts'
import { type JsonBody, readJsonBody } from './read-body.ts'

type Handle = (context: NodeAccess, request: Request, query: AccountInformationQuery) => Promise<unknown>

const BASE = '/api/v3'
/** What is posted has a body instead. */
const NO_QUERY: AccountInformationQuery = { address: undefined, use_v2: undefined }

/** The endpoints of API v3 that stand on lite servers. Source: API v3 specification 8.13. */
export function mountLegacy(
  app: Express,
  services: ApiServices,
  context: () => NodeAccess | undefined,
): void {
  const mount = (verb: 'get' | 'post', names: readonly string[], handle: Handle): void => {
    for (const name of names) {
      const path = `${BASE}/${name}`
      app
        .route(path)
        [verb](async (request: Request, response: Response) => {
          response.locals['route'] = path
          const query = verb === 'get' ? readAccountQuery(request, response, services) : NO_QUERY
          sendJson(response, toJsonText(await answer((c) => handle(c, request, query), context(), request)))
        })
        .all((request: Request) => {
          const allowed = verb === 'get' ? 'GET, HEAD, OPTIONS' : 'POST, OPTIONS'
          throw new HttpError(405, `method ${request.method} is not allowed here`, { Allow: allowed })
        })
    }
  }
  mount('get', ['addressInformation', 'account'], addressInformation)
  mount('get', ['walletInformation', 'wallet'], walletInformation)
  mount('post', ['message'], message)
  mount('post', ['estimateFee'], fees)
  mount('post', ['runGetMethod'], runGetMethod)
}

function readAccountQuery(
  request: Request,
  response: Response,
  { rules }: ApiServices,
): AccountInformationQuery {
  const { value, ignored } = readQuery(AccountInformationQuery, parseQueryString(queryString(request)), {
    unknown: rules.unknownParameter,
    alsoKnown: [...REQUEST_SETTINGS, ...IGNORED_BY_LEGACY],
  })
  nameIgnored(response, ignored)
  return value
}

/** Failures of lite servers in the words of API v2, in the envelope of API v3. */
async function answer(
  handle: (context: NodeAccess) => Promise<unknown>,
  context: NodeAccess | undefined,
  request: Request,
): Promise<unknown> {
  try {
    if (!context) throw noServers()
    return await handle(context)
  } catch (error) {
    if (error instanceof HttpError) throw error
    const { status, text, isUnexpected } = toV2Failure(error, request.method === 'POST' ? 'post' : 'get')
    if (isUnexpected && !(error instanceof V2Refusal)) throw error
    throw new HttpError(status, text)
  }
}

async function snapshotOf(
  { blocks, accounts }: NodeAccess,
  { address }: AccountInformationQuery,
): Promise<AccountSnapshot> {
  if (!address) throw new HttpError(401, 'address of account is required')
  return accounts.at(await blocks.masterchain(), address)
}

const statusOf = ({ state }: AccountSnapshot): string => (state === 'uninitialized' ? 'uninit' : state)

async function addressInformation(context: NodeAccess, _request: Request, query: AccountInformationQuery) {
  const snapshot = await snapshotOf(context, query)
  return {
    balance: String(snapshot.balance),
    code: snapshot.code ? cellText(snapshot.code) : null,
    data: snapshot.data ? cellText(snapshot.data) : null,
    ...lastTransaction(snapshot),
    frozen_hash: snapshot.frozenHash?.toString('base64') ?? null,
    status: query.use_v2 ? snapshot.state : statusOf(snapshot),
  }
}

const lastTransaction = ({ lastTransLt, lastTransHash }: AccountSnapshot) => ({
  last_transaction_lt: String(lastTransLt),
  last_transaction_hash: lastTransHash.toString('base64'),
})

async function walletInformation(context: NodeAccess, _request: Request, query: AccountInformationQuery) {
  const snapshot = await snapshotOf(context, query)
  const { code, data } = snapshot
  const wallet = code && data ? walletState(code.hash(), data) : undefined
  const status = statusOf(snapshot)
  if (!wallet && status !== 'uninit') throw new HttpError(409, 'not a wallet')
  return {
    balance: String(snapshot.balance),
    ...(wallet && { wallet_type: wallet.walletType }),
    ...(wallet?.seqno !== undefined && { seqno: wallet.seqno }),
    ...(wallet?.walletId !== undefined && { wallet_id: jsonNumber(wallet.walletId) }),
    ...lastTransaction(snapshot),
    status,
  }
}

async function message(context: NodeAccess, request: Request) {
  const { boc } = await readJsonBody(request)
  if (boc === undefined || boc === null || boc === '') throw new HttpError(401, 'boc is required')
  const values = readV2Body(V2_METHODS.sendBocReturnHash.parameters, { boc })
  const sent = { boc: values.boc, root: requestCell(values.boc, 'body') }
  const { hash, hashNorm } = await sendMessage(context, sent)
  return { message_hash: hash.toString('base64'), message_hash_norm: hashNorm.toString('base64') }
}

async function fees(context: NodeAccess, request: Request) {
  const { address, body, init_code, init_data, ignore_chksig } = await readJsonBody(request)
  const given = { address, body, init_code, init_data, ignore_chksig: ignore_chksig ?? false } as JsonBody
  const values = readV2Body(V2_METHODS.estimateFee.parameters, given)
  return { source_fees: feesObject(await estimateFee(context, readFeeRequest(values))), destination_fees: [] }
}

async function runGetMethod({ blocks, accounts, getMethods }: NodeAccess, request: Request) {
  const { address, method, stack } = await readJsonBody(request)
  if (address === undefined || address === null || address === '')
    throw new HttpError(401, 'address is required')
  if (method === undefined || method === null || method === '') throw new HttpError(401, 'method is required')
  if (typeof address !== 'string' || typeof method !== 'string')
    throw new HttpError(422, 'address and method are texts')
  const query = readV2Body(V2_METHODS.runGetMethod.parameters, {
    address,
    method,
    stack: toLegacyArguments(stack ?? []),
  })
  const account = await accounts.at(await blocks.masterchain(), query.address as V2Address)
  const result = await getMethods.run({ account, method: query.method, args: readLegacyStack(query.stack) })
  return {
    gas_used: result.gasUsed,
    exit_code: result.exitCode,
    stack: result.stack.map((value) => stackEntry(value, 0)),
  }
}

const TYPES: Readonly<Record<string, string>> = { num: 'num', cell: 'tvm.Cell', slice: 'tvm.Slice' }

/** `{type, value}` entries as the two-element arrays of API v2. */
function toLegacyArguments(stack: ExactJson): ExactJson {
  if (!Array.isArray(stack)) throw new HttpError(422, 'stack is an array of {type, value}')
  return (stack as readonly ExactJson[]).map((entry) => {
    const { type, value } = (typeof entry === 'object' && entry !== null ? entry : {}) as JsonBody
    const name = typeof type === 'string' && Object.hasOwn(TYPES, type) ? TYPES[type] : undefined
    if (name === undefined || typeof value !== 'string')
      throw new HttpError(422, `unsupported stack parameter type: ${shown(String(type))}`)
    return [name, value]
  })
}

const MAX_DEPTH = 256

function stackEntry(value: StackValue, depth: number): object {
  if (depth > MAX_DEPTH) throw new HttpError(500, `result stack depth > ${MAX_DEPTH}`)
  switch (value.type) {
    case 'int':
      return { type: 'num', value: hexOf(value.value) }
    case 'cell':
    case 'slice':
      // API v2 shows slices as cells, and so does what stands on it.
      return { type: 'cell', value: cellText(value.cell) }
    case 'null':
      return { type: 'list', value: [] }
    case 'tuple': {
      const list = listItems(value)
      const items = list ?? value.items
      return { type: list ? 'list' : 'tuple', value: items.map((item) => stackEntry(item, depth + 1)) }
    }
    default:
      return { type: 'unsupported', value: '' }
  }
}
