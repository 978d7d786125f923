import { methodId } from '../get-methods/method-id.ts'
import { tableRows } from '../table-rows.ts'
import { codeHashesOf } from './code-hashes.ts'
import { INTERFACES_TABLE } from './interfaces-table.ts'

interface InterfaceRule {
  readonly name: string
  readonly methods: readonly number[]
}

const RULES: InterfaceRule[] = []
const BY_CODE_HASH = new Map<string, string>()

for (const row of tableRows(INTERFACES_TABLE)) {
  const [name, methods, codes = ''] = row.split('|') as [string, string, string?]
  RULES.push({ name, methods: methods.split(' ').filter(Boolean).map(methodId) })
  for (const hash of [name, ...codes.split(' ')].flatMap(codeHashesOf))
    if (!BY_CODE_HASH.has(hash)) BY_CODE_HASH.set(hash, name)
}

/**
 * Interface names of a contract as the indexed API lists them. A known code hash gives exactly one name;
 * otherwise every interface whose get-methods are all among `methods` (ids, see `methodIdsOf`), in byte
 * order. This does not prove that the contract behaves accordingly.
 */
export function interfacesOf({
  codeHash,
  methods,
}: {
  readonly codeHash: Uint8Array | undefined
  readonly methods: Iterable<number>
}): string[] {
  const listed = codeHash && BY_CODE_HASH.get(Buffer.from(codeHash).toString('base64'))
  if (listed !== undefined) return [listed]
  const present = new Set(methods)
  return RULES.filter((rule) => rule.methods.length > 0 && rule.methods.every((id) => present.has(id)))
    .map((rule) => rule.name)
    .sort()
}

/**
 * True for code that is a wallet and nothing else, so that detection can skip it; most accounts that change
 * are such wallets. Vesting wallets are excluded because detection has a rule for them.
 */
export function isPlainWalletCode(codeHash: Uint8Array): boolean {
  return isPlainWallet(BY_CODE_HASH.get(Buffer.from(codeHash).toString('base64')))
}

/** Names of wallets begin alike, except that of Telegram's. */
export const isWalletName = (name: string): boolean => name.startsWith('wallet_') || name === 'tg_wallet'

const isPlainWallet = (name: string | undefined): boolean =>
  name !== undefined && isWalletName(name) && name !== 'wallet_vesting'

/** All hashes for which `isPlainWalletCode` holds. */
export const PLAIN_WALLET_CODE_HASHES: readonly Buffer[] = [...BY_CODE_HASH]
  .filter(([, name]) => isPlainWallet(name))
  .map(([hash]) => Buffer.from(hash, 'base64'))

/** Names of known codes by their hash, base64. */
export const namedCodes = (): ReadonlyMap<string, string> => BY_CODE_HASH

/** Number of interfaces in the table. */
export const INTERFACE_COUNT = RULES.length
