import { mongodbReplicaSet } from '@holdfast/services'
import { testOn } from './support/conformance.ts'

await testOn(mongodbReplicaSet, 'mongodb 7')
