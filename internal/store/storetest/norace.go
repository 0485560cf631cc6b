//go:build !race

package storetest

// modelRounds times 100 histories are checked by RunModel.
const modelRounds = 10
