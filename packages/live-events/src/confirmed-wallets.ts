import { withDeadline } from '@shardwalk/concurrency'
import { addressValue, readStack } from '@shardwalk/contracts'
import { formatRawAddress, type RawAddress, sameAddress } from '@shardwalk/model'
import type { NodeAccess } from '@shardwalk/node-access'
import type { KnownWallet, WalletPorts } from '@shardwalk/pending'
import { jettonWalletsAmong } from '@shardwalk/queries'
import type { RenderContext } from '@shardwalk/replies'

/** For the answer of a master. Milliseconds. */
const MASTER_MS = 2_000

/** Jetton wallets as the index knows them, and new ones as their masters do. */
export const walletPorts = (
  { accounts: cache, db }: RenderContext,
  node: () => NodeAccess | undefined,
): WalletPorts => ({
  async known(accounts) {
    const rows = await jettonWalletsAmong(db, await cache.idsOf(db, accounts))
    const ids = rows.flatMap((row) => [row.account_id, row.owner_id, row.jetton_id])
    const directory = await cache.load(db, ids, { states: false })
    return new Map(
      rows.map((row): [string, KnownWallet] => [
        directory.get(row.account_id).raw,
        {
          owner: directory.get(row.owner_id).address,
          master: directory.get(row.jetton_id).address,
          codeHash: row.code_hash,
        },
      ]),
    )
  },
  async isWalletOf(wallet, { owner, master }) {
    const open = node()
    if (!open) return false
    const late = () => new Error(`${formatRawAddress(master)} does not answer`)
    // It is published when it is final.
    const named = await withDeadline(walletOf(open, { owner, master }), MASTER_MS, late).catch(
      () => undefined,
    )
    return named !== undefined && sameAddress(named, wallet)
  },
})

/** Source: TEP-74 `get_wallet_address`. */
async function walletOf(
  node: NodeAccess,
  { owner, master }: Pick<KnownWallet, 'owner' | 'master'>,
): Promise<RawAddress | undefined> {
  const account = await node.accounts.at(await node.blocks.masterchain(), master)
  const args = [addressValue(owner)]
  const { exitCode, stack } = await node.getMethods.run({
    account,
    method: 'get_wallet_address',
    args,
    isSlim: true,
  })
  return exitCode === 0 ? readStack(stack, { wallet: 'address' })?.wallet : undefined
}
