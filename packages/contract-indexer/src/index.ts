export { ContractRefresher, openTvm, type RefresherOptions } from './contract-refresher.ts'
export { HiddenCurrencyFinder } from './hidden-currency-finder.ts'
export { liteServerStates, type StateSource } from './state-source.ts'
