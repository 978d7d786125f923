import { ErrorReply, openApiDocument, PROFILES, profileRules } from '@shardwalk/api-schema'
import { expect, test } from 'vitest'
import { routeFacts } from '../../http/route.ts'
import { V3_ROUTES } from './index.ts'

interface Operation {
  readonly tags: readonly string[]
  readonly parameters: readonly { readonly name: string; readonly schema: { readonly default?: unknown } }[]
  readonly responses: Readonly<
    Record<string, { readonly content: Readonly<Record<string, { readonly schema: object }>> }>
  >
}

/** In the description of TON Center. */
const DEFAULTS = {
  accountStates: { include_boc: true },
  traces: { include_actions: false },
  actions: { include_accounts: false, include_transactions: false },
  pendingActions: { include_transactions: false },
  'nft/items': { include_on_sale: false },
  'multisig/wallets': { include_orders: true },
  'multisig/orders': { parse_actions: false },
  vesting: { check_whitelist: false },
} as const

for (const profile of PROFILES) {
  const rules = profileRules(profile)
  const { paths } = openApiDocument({
    title: 'title',
    version: '0',
    description: 'description',
    routes: V3_ROUTES.map((route) => routeFacts(route, rules)),
    errorReply: ErrorReply,
  }) as { paths: Record<string, { get: Operation }> }
  const operation = (path: string): Operation => paths[`/api/v3/${path}`]!.get

  test.each(Object.entries(DEFAULTS))(
    `flags of %s have TON Center's defaults in ${profile}`,
    (path, flags) => {
      const { parameters } = operation(path)
      for (const [name, value] of Object.entries(flags))
        expect([name, parameters.find((one) => one.name === name)?.schema.default]).toEqual([name, value])
    },
  )

  test(`pending transactions and the address book are named as in TON Center in ${profile}`, () => {
    expect(operation('pendingTransactions').tags).toEqual(['Blockchain Data'])
    expect(operation('addressBook').responses['200']!.content['application/json']!.schema).toEqual({
      $ref: '#/components/schemas/AddressBook',
    })
  })
}
