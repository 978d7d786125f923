/**
 * No table changes: from now on `actions.details` is written packed, and both forms are read. With this name
 * in the list, versions that could not read such rows refuse the database.
 */
export async function up(): Promise<void> {}
