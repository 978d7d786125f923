import type { ComponentChildren } from 'preact'
import { ChainText, Comment } from '../text/chain-text.tsx'
import { formatCount, formatUnits } from '../text/numbers.ts'
import type { AccountView } from './account-view.ts'
import { Address, Fact, Ton } from './parts.tsx'
import { Token, TokenAmount, tokenFacts } from './tokens.tsx'

/** What the contract is, besides an account. */
export function Special({ view }: { readonly view: AccountView }) {
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
