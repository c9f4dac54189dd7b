export { type Service, type ServiceSetup, Unavailable } from './service.ts'
