import {
  accountAddress,
  blockIdExt,
  cellText,
  extraCurrencies,
  formatFriendlyAddress,
  readAccountState,
  transactionId,
  tvmCell,
  type V2Address,
  walletFields,
} from '@shardwalk/api-schema'
import { Builder, type Cell } from '@shardwalk/cells'
import type { AccountSnapshot, NodeAccess } from '@shardwalk/node-access'
import { isSuspended } from '@shardwalk/tlb'
import type { V2Handlers } from './handler.ts'

interface AccountQuery {
  readonly address: V2Address
  readonly seqno?: number | undefined
}

const snapshotOf = async (
  { blocks, accounts }: NodeAccess,
  { address, seqno }: AccountQuery,
): Promise<AccountSnapshot> => accounts.at(await blocks.masterchain(seqno), address)

const bocOf = (cell: Cell | undefined): string => (cell ? cellText(cell) : '')
const hashOf = (hash: Buffer | undefined): string => hash?.toString('base64') ?? ''
const lastTransaction = ({ lastTransLt, lastTransHash }: AccountSnapshot) =>
  transactionId(lastTransLt, lastTransHash)

/** Fields common to both complete views. */
const commonFields = (snapshot: AccountSnapshot) => ({
  balance: String(snapshot.balance),
  extra_currencies: extraCurrencies(snapshot.extraCurrencies),
  last_transaction_id: lastTransaction(snapshot),
  block_id: blockIdExt(snapshot.block),
  sync_utime: snapshot.utime,
})

export const ACCOUNT_HANDLERS: V2Handlers<
  | 'getAddressInformation'
  | 'getExtendedAddressInformation'
  | 'getWalletInformation'
  | 'getAddressBalance'
  | 'getAddressState'
  | 'getShardAccountCell'
> = {
  async getAddressInformation(node, query) {
    const snapshot = await snapshotOf(node, query)
    const config = await node.configuration.at(snapshot.block)
    return {
      '@type': 'raw.fullAccountState',
      ...commonFields(snapshot),
      code: bocOf(snapshot.code),
      data: bocOf(snapshot.data),
      frozen_hash: hashOf(snapshot.frozenHash),
      state: snapshot.state,
      suspended: isSuspended(config, snapshot.address, snapshot.utime),
    }
  },

  async getExtendedAddressInformation(node, query) {
    const snapshot = await snapshotOf(node, query)
    const { state, revision } = readAccountState(snapshot)
    return {
      '@type': 'fullAccountState',
      address: accountAddress(formatFriendlyAddress(query.address, query.address)),
      ...commonFields(snapshot),
      account_state: state,
      revision,
    }
  },

  async getWalletInformation(node, query) {
    const snapshot = await snapshotOf(node, query)
    const wallet = walletFields(snapshot)
    return {
      '@type': 'ext.accounts.walletInformation',
      wallet: wallet !== undefined,
      balance: String(snapshot.balance),
      account_state: snapshot.state,
      last_transaction_id: lastTransaction(snapshot),
      ...wallet,
    }
  },

  getAddressBalance: async (node, query) => String((await snapshotOf(node, query)).balance),
  getAddressState: async (node, query) => (await snapshotOf(node, query)).state,

  async getShardAccountCell(node, query) {
    const { cell, lastTransHash, lastTransLt } = await snapshotOf(node, query)
    const account = cell ?? new Builder().storeBit(false).endCell()
    return tvmCell(
      cellText(
        new Builder().storeRef(account).storeBytes(lastTransHash).storeUint(lastTransLt, 64).endCell(),
      ),
    )
  },
}
