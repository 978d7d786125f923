import { parseAddress } from '@shardwalk/api-schema'
import { deriveAccountId } from '@shardwalk/model'
import { expect, test } from 'vitest'
import type { ChainUnderApi } from './chain-under-api.ts'

export function mintlessRules(chain: () => ChainUnderApi): void {
  test('jetton/wallets: empty wallets are excluded on request unless an airdrop can be claimed', async () => {
    const list = await chain().rows('jetton/wallets', 'jetton_wallets', { limit: 1000 })
    const [first] = list
    const id = deriveAccountId(parseAddress(String(first?.['address']))!)
    const query = async (text: string) => chain().scratch.pool.query(text, [id])
    const ask = async () =>
      (
        await chain().rows('jetton/wallets', 'jetton_wallets', { exclude_zero_balance: true, limit: 1000 })
      ).find((row) => row['address'] === first?.['address'])
    expect(await ask()).toEqual(first)
    await query('update jetton_wallets set balance = 0 where account_id = $1')
    try {
      expect(await ask()).toBeUndefined()
      await query(
        `insert into mintless_claims (wallet_id, owner_id, jetton_id, amount, start_from, expire_at)
         select account_id, owner_id, jetton_id, 5000000000, 1727000000, 1790000000 from jetton_wallets
           where account_id = $1`,
      )
      await query(
        `insert into mintless_jettons select jetton_id, array['https://claim.example/wallet']
          from jetton_wallets where account_id = $1`,
      )
      const mintless_info = {
        amount: '5000000000',
        start_from: 1727000000,
        expire_at: 1790000000,
        custom_payload_api_uri: ['https://claim.example/wallet'],
      }
      expect(await ask()).toEqual({ ...first, balance: '0', mintless_info })
      // Same as the import of a list leaves a wallet that was never deployed.
      await query(
        'update jetton_wallets set lt = 0, code_hash = null, data_hash = null where account_id = $1',
      )
      const undeployed = { last_transaction_lt: '0', code_hash: null, data_hash: null }
      expect(await ask()).toEqual({ ...first, ...undeployed, balance: '0', mintless_info })
      await query('update jetton_wallets set is_claimed = true where account_id = $1')
      expect(await ask()).toBeUndefined()
    } finally {
      await chain().scratch.pool.query(
        `update jetton_wallets set is_claimed = null, balance = $2, lt = $3, code_hash = $4, data_hash = $5
          where account_id = $1`,
        [
          id,
          first?.['balance'],
          first?.['last_transaction_lt'],
          Buffer.from(String(first?.['code_hash']), 'base64'),
          Buffer.from(String(first?.['data_hash']), 'base64'),
        ],
      )
      await query('delete from mintless_claims where wallet_id = $1')
      await chain().scratch.pool.query('delete from mintless_jettons')
    }
  })
}
