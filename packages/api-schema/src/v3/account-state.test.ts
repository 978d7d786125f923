import { codeHashOf, methodId } from '@shardwalk/contracts'
import { ACCOUNT_STATUS } from '@shardwalk/model'
import { expect, test } from 'vitest'
import { toAccountStateReply, toWalletStateReply } from './account-state.ts'

const HASH = Buffer.alloc(32)
const row = {
  ...{ account_id: 1n, lt: 2n, balance: 3n, status: ACCOUNT_STATUS.indexOf('active'), state_hash: HASH },
  ...{ last_trans_hash: HASH, code_hash: Buffer.from(codeHashOf('wallet_v4r2'), 'base64'), data_hash: HASH },
  ...{ frozen_hash: null, extra_currencies: null, methods: null, code: null, data: null },
}
const read = (state: typeof row | (Omit<typeof row, 'data_hash'> & { readonly data_hash: null })) =>
  JSON.parse(toWalletStateReply(state, String, false))

test('an account with the code of a wallet is one, even if only the hash of its data is known', () => {
  const wallet = read(row)
  expect(wallet).toMatchObject({ is_wallet: true, wallet_type: 'wallet v4 r2' })
  expect(Object.keys(wallet)).not.toContain('seqno')
  expect(read({ ...row, data_hash: null })).toMatchObject({ is_wallet: false })
})

test("the wallet of Telegram has methods although its account's code lists none", () => {
  const state = (code: string, methods: number[] | null) =>
    JSON.parse(
      toAccountStateReply(
        { ...row, code_hash: Buffer.from(codeHashOf(code), 'base64'), methods },
        String,
        false,
      ),
    )
  const methods = ['get_public_key', 'get_subwallet_id', 'seqno', 'revision'].map(methodId)
  expect(state('tg_wallet', null)).toMatchObject({
    contract_methods: methods.sort((a, b) => a - b),
    interfaces: ['tg_wallet'],
  })
  expect(state('tg_wallet', [1]).contract_methods).toEqual([1])
  expect(state('wallet_v4r2', null).contract_methods).toBeNull()
})
