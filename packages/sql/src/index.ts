export { openSql } from './open-sql.ts'
export type { OpenSqlOptions, SqlClient, SqlDriverOptions, SqlOptions } from './options.ts'
export { type DrizzleDatabase, sqlDriver, sqlStorage } from './sql-storage.ts'
