import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { FIXTURE_CHAIN_FOLDER, type ScratchDatabase } from '@shardwalk/testkit'

// Compares the recorded scenario of the sample network with the actions derived from its traces.

interface ScenarioMessage {
  readonly type: string
  readonly src?: string
  readonly dest: string
  readonly value: string
  readonly bounce: boolean
  readonly bounced: boolean
  readonly op: string | null
}

interface Send {
  readonly ext_hash: string
  /** Reply of the server if it refused the message. */
  readonly server?: { readonly error?: string }
  readonly txs?: readonly { readonly aborted: boolean; readonly in_msg?: ScenarioMessage }[]
}

export interface Step {
  readonly id: string
  readonly title: string
  readonly sends?: readonly Send[]
}

interface Scenario {
  readonly steps: readonly Step[]
  readonly accounts: readonly { readonly name: string; readonly address: string }[]
}

export interface StoredAction {
  readonly type: string
  readonly success: boolean
  readonly nested: boolean
  // biome-ignore lint/suspicious/noExplicitAny: columns are picked by name
  readonly details: any
}

export const scenario: Scenario = JSON.parse(
  gunzipSync(readFileSync(`${FIXTURE_CHAIN_FOLDER}/scenario.json.gz`)).toString('utf8'),
)

/**
 * Exceptions from one action per message, by step and number of the external message. A string is the reason
 * why there is no action.
 */
export const SPECIAL: Readonly<Record<string, Readonly<Record<string, readonly string[] | string>>>> =
  JSON.parse(readFileSync(new URL('scenario-actions.json', import.meta.url), 'utf8'))

// biome-ignore lint/suspicious/noExplicitAny: facts are picked by name
const facts: any = JSON.parse(readFileSync(`${FIXTURE_CHAIN_FOLDER}/facts.json`, 'utf8'))

const names = new Map(scenario.accounts.map(({ name, address }) => [address.toLowerCase(), name]))
for (const { address, wallets } of facts.jettons)
  for (const wallet of wallets)
    if (!names.has(wallet.address)) names.set(wallet.address, `${nameOf(address)}/${nameOf(wallet.owner)}`)

function nameOf(address: string | null | undefined): string {
  if (!address) return '-'
  return names.get(address.toLowerCase()) ?? address.slice(0, 8).toLowerCase()
}

const tons = (nanotons: string | number | null): string =>
  nanotons === null ? '?' : (Number(nanotons) / 1e9).toFixed(9).replace(/\.?0+$/, '')

const ENCRYPTED_COMMENT = '0x2167da4b'

/** One transfer or call per message between accounts, as the scenario's record of transactions has them. */
function plainActions({ txs }: Send): string[] {
  const lines: string[] = []
  for (const { aborted, in_msg: message } of txs ?? []) {
    if (message?.type !== 'internal' || message.bounced) continue
    const { op, value } = message
    const isTransfer = op === null || op === '0x00000000' || op === ENCRYPTED_COMMENT
    const isFailed = aborted && (isTransfer ? message.bounce : value !== '0')
    const type = `${isTransfer ? 'ton_transfer' : 'call_contract'}${isFailed ? '!' : ''}`
    const what = isTransfer ? '' : ` ${op.slice(2)}`
    lines.push(`${type} ${nameOf(message.src)}>${nameOf(message.dest)} ${tons(value)}${what}`)
  }
  return summed(lines)
}

/**
 * Type (`!`: failed), parties, asset and amount. Deployments, excesses and parts of composites are omitted.
 */
function shortForms(actions: readonly StoredAction[]): string[] {
  const isShown = ({ nested, type, details }: StoredAction) =>
    !nested && type !== 'contract_deploy' && !(type === 'call_contract' && details.opcode === 0xffffffff)
  return summed(actions.filter(isShown).map(shortForm))
}

const MANY = 24

/** For batches: the count of each kind and the sum of their amounts. */
function summed(lines: readonly string[]): string[] {
  if (lines.length < MANY) return [...lines].sort()
  const kinds = new Map<string, { count: number; sum: number }>()
  for (const line of lines) {
    const [type = '', parties = '', ...what] = line.split(' ')
    const key = `${type} ${parties.split('>')[0]}`
    const known = kinds.get(key) ?? { count: 0, sum: 0 }
    const amount = Number(what.find((word) => /^[0-9.]+$/.test(word)) ?? 0)
    kinds.set(key, { count: known.count + 1, sum: known.sum + amount })
  }
  return [...kinds].map(([kind, { count, sum }]) => `${count} x ${kind}: ${+sum.toFixed(9)}`).sort()
}

function shortForm({ type, success, details }: StoredAction): string {
  const parts = [`${type}${success ? '' : '!'}`, `${nameOf(details.source)}>${nameOf(details.destination)}`]
  if (type === 'ton_transfer' || type === 'call_contract') parts.push(tons(details.value))
  if (type === 'call_contract') parts.push(details.opcode.toString(16).padStart(8, '0'))
  if (type === 'auction_bid') parts.push(tons(details.value))
  if (details.asset_secondary || details.asset) parts.push(nameOf(details.asset_secondary ?? details.asset))
  if (details.amount != null) parts.push(tons(details.amount))
  const { jetton_swap_data: swap, nft_transfer_data: nft, change_dns_record_data: record } = details
  if (swap)
    for (const side of [swap.dex_incoming_transfer, swap.dex_outgoing_transfer])
      parts.push(`${tons(side.amount)} ${nameOf(side.asset)}`)
  if (nft?.price) parts.push(`for ${tons(nft.price)}`)
  if (record) parts.push(`${record.value_schema} ${record.value ? nameOf(record.value) : '-'}`)
  if (details.multisig_approve_data?.exit_code) parts.push(`exit ${details.multisig_approve_data.exit_code}`)
  if (details.jetton_transfer_data?.comment)
    parts.push(`"${details.jetton_transfer_data.comment.slice(0, 30)}"`)
  return parts.join(' ')
}

/**
 * Actions by the hash of the external message, hexadecimal. A message received twice has the actions of both
 * traces.
 */
export async function actionsByMessage({
  pool,
}: ScratchDatabase): Promise<ReadonlyMap<string, StoredAction[]>> {
  const { rows } = await pool.query<StoredAction & { hash: string }>(
    `select encode(t.external_hash, 'hex') as hash, a.type, a.success,
      a.parent_action_id is not null as nested, analytics.action_details(a.details, array(
        select analytics.address_text(x.workchain, x.address)
        from unnest(account_ids_in(a.account_ids)) with ordinality i(id, n) join accounts x using (id)
        order by n)) as details
     from traces t join actions a using (trace_id) where t.external_hash is not null`,
  )
  const found = new Map<string, StoredAction[]>()
  for (const row of rows) found.set(row.hash, [...(found.get(row.hash) ?? []), row])
  return found
}

/** The actions of every external message of every step, or a text with the reason why there is none. */
export function whatWasDone(
  actions: ReadonlyMap<string, readonly StoredAction[]>,
): Record<string, readonly (readonly string[] | string)[]> {
  const of = (send: Send) => {
    const made = actions.get(send.ext_hash)
    if (made) return shortForms(made)
    return send.server?.error ? 'refused by the server' : 'no transaction'
  }
  return Object.fromEntries(scenario.steps.map(({ id, sends = [] }) => [id, sends.map(of)]))
}

/** The same, expected according to the scenario. */
export function whatWasToBeDone(): Record<string, readonly (readonly string[] | string)[]> {
  const of = (step: Step, send: Send, index: number) => {
    const special = SPECIAL[step.id]?.[index]
    if (special) return special
    return send.server?.error ? 'refused by the server' : plainActions(send)
  }
  return Object.fromEntries(
    scenario.steps.map((step) => [step.id, (step.sends ?? []).map((send, index) => of(step, send, index))]),
  )
}
