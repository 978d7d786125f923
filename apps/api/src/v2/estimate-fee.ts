import type { V2Handlers } from './context.ts'
import { failure } from './failures.ts'

export const FEE_HANDLERS: V2Handlers<'estimateFee'> = {
  estimateFee: () => {
    throw failure(500, 'INTERNAL')
  },
}
