import type { ExtraCurrencies } from './decoded.ts'

/** Amounts by currency id, both decimal. */
export const extraCurrencyTexts = (currencies: ExtraCurrencies): Record<string, string> =>
  Object.fromEntries([...currencies].map(([id, amount]) => [String(id), String(amount)]))
