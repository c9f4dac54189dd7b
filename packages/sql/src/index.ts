export { openSql } from './open-sql.ts'
export type { SqlDriverOptions, SqlOptions } from './options.ts'
export { type DrizzleDatabase, sqlDriver, sqlStorage } from './sql-storage.ts'
