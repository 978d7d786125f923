import type { Frame } from '../frame/frame.ts'
import { Layout } from '../frame/layout.tsx'
import { friendlyOf, transactionPath } from '../frame/paths.ts'
import { ChainText } from '../text/chain-text.tsx'
import { formatCount } from '../text/numbers.ts'
import { visibleText } from '../text/visible-text.ts'
import { Special } from './account-cards.tsx'
import { Rows } from './account-rows.tsx'
import { ACCOUNT_TABS, type AccountView } from './account-view.ts'
import { alikeAddresses } from './alike-addresses.ts'
import { Copy, Fact, HashFact, Pager, Ton } from './parts.tsx'
import { TrustLabel, tokenFacts } from './tokens.tsx'

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
      <HashFact label="Last transaction" hash={account.last_transaction_hash} path={transactionPath} />
      <HashFact label="Code hash" hash={account.code_hash} />
      <HashFact label="Data hash" hash={account.data_hash} />
      <HashFact label="Frozen state" hash={account.frozen_hash} />
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
