import {
  blockIdExt,
  type ExactJson,
  readLegacyStack,
  readTypedStack,
  toLegacyStack,
  toTypedStack,
  transactionId,
  type V2Address,
} from '@shardwalk/api-schema'
import type { StackValue } from '@shardwalk/contracts'
import type { V2Context, V2Handlers } from './context.ts'

interface RunQuery {
  readonly address: V2Address
  readonly method: string | number
  readonly stack: ExactJson
  readonly seqno?: number | undefined
}

async function run({ chain, getMethods }: V2Context, query: RunQuery, args: readonly StackValue[]) {
  const account = await chain.account(await chain.reference(query.seqno), query.address)
  return { account, ...(await getMethods.run({ account, method: query.method, args })) }
}

export const RUN_HANDLERS: V2Handlers<'runGetMethod' | 'runGetMethodStd'> = {
  async runGetMethod(context, query) {
    const { account, gasUsed, stack, exitCode } = await run(context, query, readLegacyStack(query.stack))
    return {
      '@type': 'smc.runResult',
      gas_used: gasUsed,
      stack: toLegacyStack(stack),
      exit_code: exitCode,
      block_id: blockIdExt(account.block),
      last_transaction_id: transactionId(account.lastTransLt, account.lastTransHash),
    }
  },

  async runGetMethodStd(context, query) {
    const { gasUsed, stack, exitCode } = await run(context, query, readTypedStack(query.stack))
    return { '@type': 'smc.runResult', gas_used: gasUsed, stack: toTypedStack(stack), exit_code: exitCode }
  },
}
