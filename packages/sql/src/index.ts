export { openSql } from './open-sql.ts'
export type { OpenSqlOptions, SqlDriverOptions, SqlOptions } from './options.ts'
export { type DrizzleDatabase, sqlDriver, sqlStorage } from './sql-storage.ts'
