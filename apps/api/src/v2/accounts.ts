import {
  accountAddress,
  blockIdExt,
  cellText,
  extraCurrencies,
  formatFriendlyAddress,
  transactionId,
  tvmCell,
  type V2Address,
} from '@shardwalk/api-schema'
import { Builder, type Cell, lookup } from '@shardwalk/cells'
import { DecodeError } from '@shardwalk/model'
import type { AccountSnapshot } from '@shardwalk/node-access'
import { findConfigParam } from '@shardwalk/tlb'
import { readAccountState } from './account-kinds.ts'
import type { V2Context, V2Handlers } from './context.ts'
import { walletFields } from './wallets.ts'

interface AccountQuery {
  readonly address: V2Address
  readonly seqno?: number | undefined
}

const snapshotOf = async ({ chain }: V2Context, { address, seqno }: AccountQuery): Promise<AccountSnapshot> =>
  chain.account(await chain.reference(seqno), address)

const bocOf = (cell: Cell | undefined): string => (cell ? cellText(cell) : '')
const hashOf = (hash: Buffer | undefined): string => hash?.toString('base64') ?? ''
const lastTransaction = ({ lastTransLt, lastTransHash }: AccountSnapshot) =>
  transactionId(lastTransLt, lastTransHash)

/** Fields that the two complete views share. */
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
  async getAddressInformation(context, query) {
    const snapshot = await snapshotOf(context, query)
    return {
      '@type': 'raw.fullAccountState',
      ...commonFields(snapshot),
      code: bocOf(snapshot.code),
      data: bocOf(snapshot.data),
      frozen_hash: hashOf(snapshot.frozenHash),
      state: snapshot.state,
      suspended: await isSuspended(context, snapshot),
    }
  },

  async getExtendedAddressInformation(context, query) {
    const snapshot = await snapshotOf(context, query)
    const { state, revision } = readAccountState(snapshot)
    return {
      '@type': 'fullAccountState',
      address: accountAddress(formatFriendlyAddress(query.address, query.address)),
      ...commonFields(snapshot),
      account_state: state,
      revision,
    }
  },

  async getWalletInformation(context, query) {
    const snapshot = await snapshotOf(context, query)
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

  getAddressBalance: async (context, query) => String((await snapshotOf(context, query)).balance),
  getAddressState: async (context, query) => (await snapshotOf(context, query)).state,

  async getShardAccountCell(context, query) {
    const { cell, lastTransHash, lastTransLt } = await snapshotOf(context, query)
    const account = cell ?? new Builder().storeBit(false).endCell()
    return tvmCell(
      cellText(
        new Builder().storeRef(account).storeBytes(lastTransHash).storeUint(lastTransLt, 64).endCell(),
      ),
    )
  },
}

/** Source: block.tlb `suspended_address_list#00 addresses:(HashmapE 288 Unit) suspended_until:uint32`, ConfigParam 44. */
async function isSuspended(
  { chain }: V2Context,
  { address, block, utime }: AccountSnapshot,
): Promise<boolean> {
  const list = findConfigParam(await chain.config(block), 44)
  if (!list) return false
  try {
    if (list.loadUint(8) !== 0) return false
    const addresses = list.loadMaybeRefSlice()
    const key = Buffer.alloc(36)
    key.writeInt32BE(address.workchain)
    address.hash.copy(key, 4)
    return utime < list.loadUint(32) && lookup(addresses, 288, key) !== undefined
  } catch (error) {
    if (error instanceof DecodeError) return false
    throw error
  }
}
