import type { ComponentChildren } from 'preact'
import type { Frame } from '../frame/frame.ts'
import { Layout } from '../frame/layout.tsx'
import { friendlyOf, transactionPath } from '../frame/paths.ts'
import { ChainText, Comment } from '../text/chain-text.tsx'
import { formatCount, formatUnits } from '../text/numbers.ts'
import { visibleText } from '../text/visible-text.ts'
import { ActionTable } from './actions.tsx'
import { alikeAddresses } from './alike-addresses.ts'
import { Address, Copy, Fact, Hash, Pager, type PagerView, Table, Ton } from './parts.tsx'
import type {
  Account,
  Action,
  JettonWallet,
  Listed,
  Names,
  NftItem,
  Replies,
  Transaction,
  Wallet,
} from './replies.ts'
import { Token, TokenAmount, TrustLabel, tokenFacts } from './tokens.tsx'
import { TransactionTable } from './transactions.tsx'

/**
 * Tabs of an account and their titles, in order; `holders` and `items` are those of a jetton or collection.
 */
export const ACCOUNT_TABS = {
  actions: 'Actions',
  transactions: 'Transactions',
  jettons: 'Jettons',
  nfts: 'NFTs',
  holders: 'Holders',
  items: 'Items',
} as const
export type AccountTab = keyof typeof ACCOUNT_TABS

/** The rows of the chosen tab. */
export type TabRows =
  | { readonly tab: 'actions'; readonly list: Listed<Action> }
  | { readonly tab: 'transactions'; readonly list: Listed<Transaction> }
  | { readonly tab: 'jettons' | 'holders'; readonly list: Listed<JettonWallet> }
  | { readonly tab: 'nfts' | 'items'; readonly list: Listed<NftItem> }

/** What is known of an account. Contracts that it is not are undefined. */
export interface AccountView {
  /** Raw. */
  readonly address: string
  /** Undefined: never seen. */
  readonly account?: Account | undefined
  readonly wallet?: Wallet | undefined
  readonly jetton?: Replies['jetton/masters']['jetton_masters'][number] | undefined
  readonly jettonWallet?: JettonWallet | undefined
  readonly item?: NftItem | undefined
  readonly collection?: Replies['nft/collections']['nft_collections'][number] | undefined
  readonly multisig?: Replies['multisig/wallets']['multisigs'][number] | undefined
  readonly vesting?: Replies['vesting']['vesting_contracts'][number] | undefined
  readonly domains: Replies['dns/records']['records']
  readonly tabs: readonly AccountTab[]
  readonly rows: TabRows
  readonly pager: PagerView
  readonly names: Names
  /** The first indexed block, if history before it is missing. */
  readonly begins?: number | undefined
  /** Note on the form in which the address was given. */
  readonly notice?: string | undefined
}

/** What an account is, then the rows of the chosen tab. */
export function AccountPage({ frame, view }: { readonly frame: Frame; readonly view: AccountView }) {
  const { address, names, notice, begins } = view
  const token = tokenFacts(names, address)
  const alike = alikeAddresses(names)
  return (
    <Layout frame={frame} title="Account">
      <h1>
        {token?.name ? <ChainText text={token.name} kind="name" /> : 'Account'}{' '}
        {token?.symbol && (
          <small>
            <ChainText text={token.symbol} kind="symbol" />
          </small>
        )}{' '}
        <TrustLabel names={names} raw={address} />
      </h1>
      {notice !== undefined && <p class="notice">{notice}</p>}
      {begins !== undefined && begins > 1 && (
        <p class="notice">The index begins at block {formatCount(begins)}; what came before is not shown.</p>
      )}
      {alike && (
        <p class="notice">
          Two addresses on this page look alike, as when somebody wants to be mistaken for somebody else:{' '}
          <span class="mono">{alike[0]}</span> and <span class="mono">{alike[1]}</span>
        </p>
      )}
      <div class="columns">
        <State view={view} />
        <Special view={view} />
      </div>
      <Tabs view={view} />
    </Layout>
  )
}

function State({ view: { address, account, wallet, names } }: { readonly view: AccountView }) {
  const row = names.address_book[address]
  const friendly = row?.user_friendly ?? friendlyOf(address, names)
  return (
    <section class="card">
      <h2>State</h2>
      <dl class="facts">
        <Fact label="Address">
          <span class="mono">{friendly}</span> <Copy text={friendly} label="Copy the address" />
        </Fact>
        <Fact label="Raw">
          <span class="mono">{address}</span>
        </Fact>
        {row?.domain && (
          <Fact label="Domain">
            <ChainText text={row.domain} kind="name" />
          </Fact>
        )}
        {!account ? (
          <Fact label="Status">
            never seen by this index;{' '}
            <a href={`/api/v2/getAddressInformation?address=${friendly}`}>state at the lite servers</a>
          </Fact>
        ) : (
          <KnownState account={account} wallet={wallet} />
        )}
      </dl>
    </section>
  )
}

type KnownProps = Pick<AccountView, 'wallet'> & { readonly account: NonNullable<AccountView['account']> }

/** Facts of the newest state of an account that is indexed. */
function KnownState({ account, wallet }: KnownProps) {
  return (
    <>
      <Fact label="Status">{account.status ?? 'unknown'}</Fact>
      <Fact label="Balance">
        <Ton nano={account.balance} />
      </Fact>
      <Fact label="Interfaces">
        {account.interfaces?.map((name) => visibleText(name.slice(0, 60))).join(', ') || (
          <span class="soft">none known</span>
        )}
      </Fact>
      {wallet?.is_wallet && (
        <Fact label="Wallet">
          {wallet.wallet_type ?? 'of unknown type'}
          {wallet.seqno !== undefined && `, seqno ${formatCount(wallet.seqno)}`}
        </Fact>
      )}
      {account.last_transaction_hash && (
        <Fact label="Last transaction">
          <Hash hash={account.last_transaction_hash} path={transactionPath} />
        </Fact>
      )}
      {account.code_hash && (
        <Fact label="Code hash">
          <Hash hash={account.code_hash} />
        </Fact>
      )}
      {account.data_hash && (
        <Fact label="Data hash">
          <Hash hash={account.data_hash} />
        </Fact>
      )}
      {account.frozen_hash && (
        <Fact label="Frozen state">
          <Hash hash={account.frozen_hash} />
        </Fact>
      )}
    </>
  )
}

/** What the contract is, besides an account. */
function Special({ view }: { readonly view: AccountView }) {
  return (
    <>
      <JettonCard view={view} />
      <NftCard view={view} />
      <ContractCard view={view} />
    </>
  )
}

const Card = ({ title, children }: { readonly title: string; readonly children: ComponentChildren }) => (
  <section class="card">
    <h2>{title}</h2>
    <dl class="facts">{children}</dl>
  </section>
)

function JettonCard({ view: { jetton, jettonWallet, names, address } }: { readonly view: AccountView }) {
  const facts = tokenFacts(names, address, 'jetton_masters')
  if (jettonWallet)
    return (
      <Card title="Jetton wallet">
        <Fact label="Balance">
          <TokenAmount amount={jettonWallet.balance} asset={jettonWallet.jetton} names={names} />
        </Fact>
        <Fact label="Owner">
          <Address raw={jettonWallet.owner} names={names} />
        </Fact>
      </Card>
    )
  if (!jetton) return null
  const supply = formatUnits(jetton.total_supply, facts?.decimals ?? 9)
  return (
    <Card title="Jetton">
      <Fact label="Total supply">
        <span title={jetton.total_supply}>{supply ?? `${jetton.total_supply} (smallest unit)`}</span>
      </Fact>
      <Fact label="Mintable">{jetton.mintable ? 'yes' : 'no'}</Fact>
      <Fact label="Admin">
        <Address raw={jetton.admin_address} names={names} />
      </Fact>
      {facts?.description && (
        <Fact label="Description">
          <Comment text={facts.description} />
        </Fact>
      )}
    </Card>
  )
}

function NftCard({ view: { item, collection, names, address } }: { readonly view: AccountView }) {
  const facts = tokenFacts(names, address)
  if (item)
    return (
      <Card title="NFT">
        <Fact label="Owner">
          <Address raw={item.real_owner ?? item.owner_address} names={names} />
          {item.on_sale && <span class="label">on sale</span>}
        </Fact>
        <Fact label="Collection">
          {item.collection_address ? (
            <Token raw={item.collection_address} names={names} />
          ) : (
            <span class="soft">none</span>
          )}
        </Fact>
        <Fact label="Index">{item.index}</Fact>
        {facts?.description && (
          <Fact label="Description">
            <Comment text={facts.description} />
          </Fact>
        )}
      </Card>
    )
  if (!collection) return null
  return (
    <Card title="NFT collection">
      <Fact label="Owner">
        <Address raw={collection.owner_address} names={names} />
      </Fact>
      <Fact label="Next index">{collection.next_item_index}</Fact>
      {facts?.description && (
        <Fact label="Description">
          <Comment text={facts.description} />
        </Fact>
      )}
    </Card>
  )
}

function ContractCard({ view: { multisig, vesting, domains, names } }: { readonly view: AccountView }) {
  return (
    <>
      {multisig && (
        <Card title="Multisig">
          <Fact label="Threshold">
            {multisig.threshold ?? '–'} of {multisig.signers.length}
          </Fact>
          <Fact label="Signers">
            {multisig.signers.map((raw) => (
              <div key={raw}>
                <Address raw={raw} names={names} />
              </div>
            ))}
          </Fact>
          <Fact label="Orders">{formatCount(multisig.orders.length)}</Fact>
        </Card>
      )}
      {vesting && (
        <Card title="Vesting">
          <Fact label="Total">
            <Ton nano={vesting.total_amount} />
          </Fact>
          <Fact label="Owner">
            <Address raw={vesting.owner_address} names={names} />
          </Fact>
        </Card>
      )}
      {domains.length > 0 && (
        <Card title="Domains">
          {domains.slice(0, 20).map(({ domain, nft_item_address }) => (
            <Fact key={domain} label="Points here">
              <ChainText text={domain} kind="name" /> <Address raw={nft_item_address} names={names} />
            </Fact>
          ))}
        </Card>
      )}
    </>
  )
}

function Tabs({ view }: { readonly view: AccountView }) {
  const { tabs, rows, pager } = view
  const base = pager.here.split('?')[0]!
  return (
    <section>
      <nav class="tabs" aria-label="Lists of the account">
        {tabs.map((tab) => (
          <a key={tab} href={`${base}?tab=${tab}`} aria-current={tab === rows.tab ? 'page' : undefined}>
            {ACCOUNT_TABS[tab]}
          </a>
        ))}
      </nav>
      <Rows view={view} />
      <Pager pager={pager} />
    </section>
  )
}

/** Of whom a list is, if it is not just an account. */
const OWNERS: Partial<Record<AccountTab, string>> = { holders: 'jetton', items: 'collection' }

function Rows({ view: { rows, names, address, begins } }: { readonly view: AccountView }) {
  const what = ACCOUNT_TABS[rows.tab]
  const since = begins ? ` (the index begins at block ${begins})` : ''
  const none = `No ${what.toLowerCase()} indexed for this account${since}.`
  const caption = `${what} of the ${OWNERS[rows.tab] ?? 'account'}`
  switch (rows.tab) {
    case 'actions':
      return (
        <ActionTable actions={rows.list.rows} {...{ names, caption }} self={address} empty={none} hasTraces />
      )
    case 'transactions':
      return (
        <TransactionTable transactions={rows.list.rows} {...{ names, caption }} self={address} empty={none} />
      )
    case 'jettons':
    case 'holders':
      return (
        <WalletTable
          wallets={rows.list.rows}
          {...{ names, caption }}
          empty={none}
          isOfJetton={rows.tab === 'holders'}
        />
      )
    default:
      return <ItemTable items={rows.list.rows} {...{ names, caption }} empty={none} />
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
