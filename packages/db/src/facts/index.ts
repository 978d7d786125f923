export { AddressBook } from './address-book.ts'
export { queueTracesOfChangedFacts } from './changed-facts.ts'
export { loadFacts } from './facts.ts'
export { factsOfTrace } from './facts-of-trace.ts'
