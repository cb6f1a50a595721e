// Every module.
#pragma once
#include "nn/linear.h"
