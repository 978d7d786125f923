export { BOOK_EXPRESSIONS, BOOK_TABLES, BOOK_TYPES, type BookRow } from './book-rows.ts'
export {
  type CodeRow,
  type EndRow,
  LISTING_COLUMNS,
  type ListingRequest,
  type ListingRows,
  loadListing,
  NO_ROWS,
  PART,
  type TokenRow,
  type WalletRow,
} from './listing-rows.ts'
