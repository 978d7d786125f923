export { ContractRefresher, openTvm, type RefresherOptions } from './contract-refresher.ts'
export { type CurrencyFinderOptions, HiddenCurrencyFinder } from './hidden-currency-finder.ts'
export { type FetchedState, liteServerStates, type StateSource } from './state-source.ts'
