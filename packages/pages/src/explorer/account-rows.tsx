import { ChainText } from '../text/chain-text.tsx'
import { ACCOUNT_TABS, type AccountTab, type AccountView } from './account-view.ts'
import { ActionTable } from './actions.tsx'
import { Address, Table } from './parts.tsx'
import type { JettonWallet, Names, NftItem } from './replies.ts'
import { Token, TokenAmount, tokenFacts } from './tokens.tsx'
import { TransactionTable } from './transactions.tsx'

/** Of whom a list is, if it is not just an account. */
const OWNERS: Partial<Record<AccountTab, string>> = { holders: 'jetton', items: 'collection' }

/** The table of the chosen tab. */
export function Rows({ view: { rows, names, address, begins } }: { readonly view: AccountView }) {
  const what = ACCOUNT_TABS[rows.tab]
  const since = begins ? ` (the index begins at block ${begins})` : ''
  const none = `No ${what.toLowerCase()} indexed for this account${since}.`
  const caption = `${what} of the ${OWNERS[rows.tab] ?? 'account'}`
  switch (rows.tab) {
    case 'actions':
      return (
        <ActionTable
          actions={rows.list.rows}
          names={names}
          caption={caption}
          self={address}
          empty={none}
          hasTraces
        />
      )
    case 'transactions':
      return (
        <TransactionTable
          transactions={rows.list.rows}
          names={names}
          caption={caption}
          self={address}
          empty={none}
        />
      )
    case 'jettons':
    case 'holders':
      return (
        <WalletTable
          wallets={rows.list.rows}
          names={names}
          caption={caption}
          empty={none}
          isOfJetton={rows.tab === 'holders'}
        />
      )
    default:
      return <ItemTable items={rows.list.rows} names={names} caption={caption} empty={none} />
  }
}

interface ListProps {
  readonly names: Names
  readonly caption: string
  readonly empty: string
}

function WalletTable({
  wallets,
  names,
  caption,
  empty,
  isOfJetton,
}: ListProps & { readonly wallets: readonly JettonWallet[]; readonly isOfJetton: boolean }) {
  return (
    <Table
      caption={caption}
      columns={[
        isOfJetton
          ? { name: 'Owner', cell: ({ owner }: JettonWallet) => <Address raw={owner} names={names} /> }
          : { name: 'Name', cell: ({ jetton }: JettonWallet) => <NameOf raw={jetton} names={names} /> },
        {
          name: 'Balance',
          cell: ({ balance, jetton }) => <TokenAmount amount={balance} asset={jetton} names={names} />,
        },
        { name: 'Jetton wallet', cell: ({ address }) => <Address raw={address} names={names} /> },
      ]}
      rows={wallets}
      keyOf={({ address }) => address}
      empty={empty}
    />
  )
}

function NameOf({ raw, names }: { readonly raw: string; readonly names: Names }) {
  const name = tokenFacts(names, raw)?.name
  return name === undefined ? <span class="soft">unnamed</span> : <ChainText text={name} kind="name" />
}

const ItemTable = ({ items, names, caption, empty }: ListProps & { readonly items: readonly NftItem[] }) => (
  <Table
    caption={caption}
    columns={[
      { name: 'Item', cell: ({ address }) => <Token raw={address} names={names} /> },
      {
        name: 'Collection',
        cell: ({ collection_address: raw }) =>
          raw ? <Token raw={raw} names={names} /> : <span class="soft">none</span>,
      },
      { name: 'Index', cell: ({ index }) => (index.length > 15 ? `${index.slice(0, 12)}…` : index) },
      {
        name: 'Owner',
        cell: ({ real_owner, owner_address }) => <Address raw={real_owner ?? owner_address} names={names} />,
      },
      { name: 'Sale', cell: ({ on_sale: onSale }) => (onSale ? 'on sale' : '') },
    ]}
    rows={items}
    keyOf={({ address }) => address}
    empty={empty}
  />
)
