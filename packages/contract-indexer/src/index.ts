export { ContractRefresher, type RefresherOptions } from './contract-refresher.ts'
export { type FetchedState, liteServerStates, type StateSource } from './state-source.ts'
